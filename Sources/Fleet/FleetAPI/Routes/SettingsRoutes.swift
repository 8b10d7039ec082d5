import FleetAccess
import FleetDomain
import HTTPTypes
import Telemetry

/// `/api/settings`: the settings of the tenant.
struct SettingsRoutes {
  let storage: any FleetStorage

  var routes: [Route] { [get, patch] }

  private static let path = "/api/settings"
  private static let schema = ThingSchema.name(of: TenantSettings.self)

  var things: ThingRoutes<TenantSettings> {
    ThingRoutes(
      storage: storage, area: .settings, relation: { _, _, _ in Relation() }, restriction: { _, _, _ in nil },
      check: { _, _, _, _ throws(ThingError) in })
  }

  private var get: Route {
    let (storage, things) = (storage, things)
    let operation = Operation(
      id: "getSettings", summary: "The settings of the tenant.",
      results: [.init(.ok, "They.", .json(Self.schema), headers: ["ETag"])])
    return Route(.get, Self.path, .may(.read, .settings), operation, isFiltered: true) { call in
      let shown = try await storage.view(tenant: try call.tenant) { view throws(ThingError) in
        try things.shown(try view.settings(), call, view)
      }
      return shown.answer()
    }
  }

  private var patch: Route {
    let things = things
    let operation = Operation(
      id: "changeSettings",
      summary: "Changes settings (JSON merge patch, RFC 7396). Changes of others since `If-Match` are merged.",
      parameters: [.header("If-Match", "The ETag of the version that the change was made from.")],
      body: .init(types: ["application/merge-patch+json", "application/json"], schema: "\(Self.schema)Change"),
      results: [.init(.ok, "They.", .json(Self.schema), headers: ["ETag"])],
      errors: [.conflict, .preconditionRequired, .preconditionFailed])
    return Route(.patch, Self.path, .may(.write, .settings), operation, isFiltered: true) { call in
      try call.requireType(["application/merge-patch+json", "application/json"])
      let json = try await call.json()
      try call.requireIfMatch()
      let seen = try ThingRoutes<TenantSettings>.seenVersion(call)
      if let reach = call.reach, !reach.isEverything { throw APIError.forbidden(reach.reason) }
      let shown = try await things.change(call) { transaction throws(ThingError) in
        let old = try transaction.storedSettings()
        return try things.shown(try transaction.patch(old, seen: seen ?? old.version, with: json), call, transaction)
      }
      return shown.answer()
    }
  }
}
