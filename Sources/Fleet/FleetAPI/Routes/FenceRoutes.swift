import FleetDomain
import GeoJSON
import HTTPTypes

/// `/api/geofences`: all fences of the tenant, as one GeoJSON FeatureCollection.
struct FenceRoutes {
  let storage: any FleetStorage

  private static let path = "/api/geofences"

  var routes: [Route] {
    let (storage, tags) = (storage, FenceTags())
    return [
      Route(.get, Self.path, .may(.read, .geofences), Self.get) { call in
        let conditions = try Preconditions(call.request.headers)
        let tenant = try call.tenant
        let version = try await storage.fencesVersion(tenant: tenant)
        // Gateways ask often, and usually have the current fences. Then answer without reading the document.
        if let version, let tag = tags[tenant, version], conditions.oneOf == nil,
          conditions.noneOf?.weaklyMatch(tag) ?? false
        {
          return Self.notModified(tag)
        }
        // Reserve memory for the document, and for its copy in the answer.
        try await call.memory.grow(to: 2 * (version?.bytes ?? 0))
        let fences = try await storage.fences(tenant: tenant) ?? .notPut
        tags.store(fences, of: tenant)
        guard conditions.oneOf?.stronglyMatch(fences.entityTag) ?? true else {
          throw Preconditions.failed(fences.entityTag)
        }
        if conditions.noneOf?.weaklyMatch(fences.entityTag) ?? false { return Self.notModified(fences.entityTag) }
        return Self.tagged(Answer(type: "application/geo+json", bytes: fences.bytes), fences.entityTag)
      },
      Route(.put, Self.path, .may(.write, .geofences), Self.replace, bodyLimit: nil) { call in
        try call.requireType(["application/geo+json", "application/json"])
        let bytes = try await call.body()
        let needed = try await call.heavily(bytes.count) { FencesDocument.mostMemory(forGeoJSON: bytes.span) }
        guard needed <= call.memory.largest else {
          throw APIError.tooLarge(
            "reading these fences takes up to \(needed) bytes of memory, and one key has \(call.memory.largest) (half of limits.memoryBytes); send fewer or simpler fences"
          )
        }
        try await call.memory.grow(to: needed)
        let document: FencesDocument
        do {
          document = try await call.heavily(bytes.count) { try FencesDocument(geoJSON: bytes) }
        } catch let error as GeoJSONError {
          throw APIError.invalid(error.message)
        }
        return try await Self.replace(with: document, storage, call)
      },
      Route(.delete, Self.path, .may(.write, .geofences), Self.remove) { call in
        try await Self.replace(with: .empty, storage, call)
      },
    ]
  }

  /// Replaces the fences if the conditions of the request allow it.
  ///
  /// - Throws: 412 if they do not allow it.
  private static func replace(
    with document: FencesDocument, _ storage: any FleetStorage, _ call: Call
  ) async throws -> Answer {
    let conditions = try Preconditions(call.request.headers)
    // Read the current entity tag. The storage replaces the fences only if they still have this tag, so that a change
    // by another client is detected.
    let present = conditions.isEmpty ? nil : try await storage.fences(tenant: try call.tenant)?.entityTag
    // The condition `*` matches only fences that were stored. The tag `"none"` matches the default document, which
    // clients receive until fences are stored.
    let shown = present ?? (conditions.hasAny ? nil : FencesDocument.notPut.entityTag)
    guard conditions.allow(changeOf: shown) else { throw Preconditions.failed(shown) }
    // After fences were stored once, there is always a document. Therefore the condition `*` remains true.
    let mayBeAny = conditions.noneOf == nil && conditions.oneOf?.isAny ?? true
    let expected: FencesExpectation = mayBeAny ? .anything : present.map { .tags([$0]) } ?? .nothing
    let result = try await storage.putFences(
      document, expecting: expected, tenant: try call.tenant, by: try call.actor, at: WallClock.now)
    switch result {
    case .stored(let stored):
      var answer = Answer(status: .noContent)
      answer.headers[.eTag] = stored.entityTag
      return answer
    case .changedMeanwhile(let tag):
      throw Preconditions.failed(tag)
    }
  }

  private static func notModified(_ tag: String) -> Answer { tagged(Answer(status: .notModified), tag) }

  private static func tagged(_ answer: Answer, _ tag: String) -> Answer {
    var answer = answer
    answer.headers[.eTag] = tag
    // Clients must always ask whether the document has changed. A document that has not changed is not sent again.
    answer.headers[.cacheControl] = "no-cache"
    return answer
  }

  private static let get = Operation(
    id: "getFences",
    summary:
      "The fences, byte for byte as they were put; until then an empty collection with the ETag `\"none\"`.",
    parameters: [
      .header("If-None-Match", "ETags that are known: 304 if one still holds."),
      .header("If-Match", "ETags: 412 if the fences have another one."),
    ],
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
  private static let remove = Operation(
    id: "removeFences",
    summary: "Removes all fences: gateways drop theirs when they fetch next. The same as putting an empty collection.",
    parameters: [
      .header("If-Match", "The ETag of the fences to remove: 412 if others are there; `*`: any."),
      .header("If-None-Match", "ETags: only if others are there."),
    ], results: [.init(.noContent, "Removed.", headers: ["ETag"])], errors: [.preconditionFailed])
}
