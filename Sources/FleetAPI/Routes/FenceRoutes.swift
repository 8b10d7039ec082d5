import FleetDomain
import GeoJSON
import HTTPTypes

/// `/api/geofences`: the fences of the fleet, as one GeoJSON FeatureCollection.
struct FenceRoutes {
  let storage: any FleetStorage

  private static let path = "/api/geofences"

  var routes: [Route] {
    let storage = storage
    return [
      Route(.get, Self.path, .roles([.gateway, .readOnly, .admin]), Self.get) { call in
        let fences = try await storage.fences(tenant: try call.tenant) ?? .notPut
        let conditions = try Preconditions(call.request.headers)
        guard conditions.oneOf?.stronglyMatch(fences.entityTag) ?? true else {
          throw Preconditions.failed(fences.entityTag)
        }
        let isKnown = conditions.noneOf?.weaklyMatch(fences.entityTag) ?? false
        var answer =
          isKnown ? Answer(status: .notModified) : Answer(type: "application/geo+json", bytes: fences.bytes)
        answer.headers[.eTag] = fences.entityTag
        // To be asked for again each time, which costs nothing where they are the same.
        answer.headers[.cacheControl] = "no-cache"
        return answer
      },
      Route(.put, Self.path, .admins, Self.replace) { call in
        try call.requireType(["application/geo+json", "application/json"])
        let bytes = try await call.body()
        let document: FencesDocument
        do throws(GeoJSONError) {
          document = try FencesDocument(geoJSON: bytes)
        } catch {
          throw APIError.invalid(error.message)
        }
        let conditions = try Preconditions(call.request.headers)
        // What the conditions are about must still be there when these take its place.
        let present = conditions.isEmpty ? nil : try await storage.fences(tenant: try call.tenant)?.entityTag
        // `*` asks for what has been put; the tag of none is what was read until then.
        let shown = present ?? (conditions.hasAny ? nil : FencesDocument.notPut.entityTag)
        guard conditions.allow(changeOf: shown) else { throw Preconditions.failed(shown) }
        // Fences are never taken away: where any will do, any still does.
        let mayBeAny = conditions.noneOf == nil && conditions.oneOf?.isAny ?? true
        let expected: FencesExpectation = mayBeAny ? .anything : present.map { .tags([$0]) } ?? .nothing
        let result = try await storage.putFences(
          document, expecting: expected, tenant: try call.tenant, at: WallClock.now)
        switch result {
        case .stored(let stored):
          var answer = Answer(status: .noContent)
          answer.headers[.eTag] = stored.entityTag
          return answer
        case .changedMeanwhile(let tag):
          throw Preconditions.failed(tag)
        }
      },
    ]
  }

  private static let get = Operation(
    id: "getFences",
    summary:
      "The fences, byte for byte as they were put; until then an empty collection with the ETag `\"none\"`.",
    parameters: [.header("If-None-Match", "ETags that are known: 304 where one still holds.")],
    results: [
      .init(.ok, "The fences.", .init(types: ["application/geo+json"], schema: "Fences"), headers: ["ETag"]),
      .init(.notModified, "They are as they were.", headers: ["ETag"]),
    ], errors: [.preconditionFailed])
  private static let replace = Operation(
    id: "replaceFences", summary: "Replaces all fences.",
    parameters: [
      .header("If-Match", "The ETag of the fences that these replace: 412 where others are there; `*`: any."),
      .header("If-None-Match", "`*`: only if there are none yet; ETags: only if others are there."),
    ], body: .init(types: ["application/geo+json", "application/json"], schema: "Fences"),
    results: [.init(.noContent, "Stored.", headers: ["ETag"])], errors: [.preconditionFailed, .contentTooLarge])
}
