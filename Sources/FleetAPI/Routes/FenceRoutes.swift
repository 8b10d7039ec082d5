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
        guard let fences = try await storage.fences(tenant: try call.tenant) else {
          throw APIError.notFound("no fences have been put yet")
        }
        let seen = EntityTags(call.request.headers[.ifNoneMatch])
        let isKnown = seen?.weaklyMatch(fences.entityTag) ?? false
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
        let result = try await storage.putFences(
          document, expecting: Self.expectation(call.request.headers), tenant: try call.tenant, at: WallClock.now)
        switch result {
        case .stored(let stored):
          var answer = Answer(status: .noContent)
          answer.headers[.eTag] = stored.entityTag
          return answer
        case .changedMeanwhile(let tag):
          throw APIError(
            .preconditionFailed, "changedMeanwhile",
            tag.map { "the fences are others by now: their ETag is \($0)" } ?? "there are no fences yet")
        }
      },
    ]
  }

  /// RFC 9110, 13.1.1 and 13.1.2.
  private static func expectation(_ headers: HTTPFields) -> FencesExpectation {
    if let tags = EntityTags(headers[.ifMatch]) { return tags.isAny ? .anything : .tags(tags.strong) }
    if EntityTags(headers[.ifNoneMatch])?.isAny == true { return .nothing }
    return .anything
  }

  private static let get = Operation(
    id: "getFences", summary: "The fences, byte for byte as they were put.",
    parameters: [.header("If-None-Match", "ETags that are known: 304 where one still holds.")],
    results: [
      .init(.ok, "The fences.", .init(types: ["application/geo+json"], schema: "Fences"), headers: ["ETag"]),
      .init(.notModified, "They are as they were.", headers: ["ETag"]),
    ])
  private static let replace = Operation(
    id: "replaceFences", summary: "Replaces all fences.",
    parameters: [
      .header("If-Match", "The ETag of the fences that these replace: 412 where others are there."),
      .header("If-None-Match", "`*`: only if there are none yet."),
    ], body: .init(types: ["application/geo+json", "application/json"], schema: "Fences"),
    results: [.init(.noContent, "Stored.", headers: ["ETag"])], errors: [.preconditionFailed, .contentTooLarge])
}

/// The value of `If-Match` or `If-None-Match` (RFC 9110, 13.1).
struct EntityTags {
  /// `*`
  let isAny: Bool
  private let tags: [Substring]

  /// Nil where there is no such header.
  init?(_ field: String?) {
    guard let field else { return nil }
    let parts = field.split(separator: ",").map { part in
      var part = part.drop { $0 == " " }
      while part.last == " " { part.removeLast() }
      return part
    }
    isAny = parts.contains("*")
    tags = parts
  }

  /// Those that are not weak: only they can say that bytes are the same (8.8.3.2).
  var strong: [String] { tags.filter { $0.hasPrefix("\"") }.map(String.init) }

  /// Whether one of them is the tag, weak or not.
  func weaklyMatch(_ tag: String) -> Bool {
    isAny || tags.contains { ($0.hasPrefix("W/") ? $0.dropFirst(2) : $0) == tag }
  }
}
