import FleetAccess
import FleetConnectors
import FleetDomain
import FleetWork
import HTTPTypes
import Telemetry

/// `/api/connectors`: the settings of connectors, which fetch records from other clouds and programs.
/// `/api/connected-assets` and `/api/connected-drivers`: the vehicles and drivers that these programs report.
/// `/api/duty-periods`: the drivers' hours of service.
struct ConnectorRoutes {
  let storage: any FleetStorage
  /// The keys that encrypt secrets.
  let keys: SecretKeys
  /// Whether the keys come from a file. If not, no secret can be stored, because no server could decrypt it after a
  /// restart.
  let hasKeyFile: Bool
  /// Whether connectors may use addresses of private networks.
  let mayUsePrivate: Bool

  var routes: [Route] {
    things.routes + [remove, pull, check] + assets.readingRoutes + drivers.readingRoutes + duties.readingRoutes
  }

  private var things: ThingRoutes<Connector> {
    var routes = ThingRoutes<Connector>(
      storage: storage, area: .integrations, relation: { _, _, _ in Relation() }, restriction: { _, _, _ in nil },
      check: { [mayUsePrivate] old, new, transaction, _ throws(ThingError) in
        try new.check(mayUsePrivate: mayUsePrivate)
        // Commands on the server's machine find a connector by its name.
        guard old?.value.name != new.name else { return }
        let same = ThingQuery<Connector>(.oneOf(key: "name", [.text(new.name)]))
        guard try transaction.first(same) == nil else { throw .duplicate(field: "name") }
      },
      derived: Self.derived(keys, hasKeyFile: hasKeyFile), order: [.init("name")])
    routes.afterChange = { connector, transaction throws(ThingError) in try transaction.follow(connector) }
    return routes
  }

  // MARK: Secrets

  /// Returns the fields of a connector that contain secrets. Clients can set these fields but never read them.
  static func derived(_ keys: SecretKeys?, hasKeyFile: Bool) -> [DerivedField<Connector>] {
    return [
      .secret(
        "secret", "The token, key or password, or the secret of the client.", keys, hasKeyFile: hasKeyFile
      ) {
        secret, connector, transaction, keys throws(ThingError) in
        var changed = connector.value
        changed.secret = secret.map { keys.seal(Array($0.utf8), for: SecretPlace.connector(connector.id)) }
        return try transaction.update(connector, to: changed, action: "setSecret")
      },
      .secret("webhookSecret", "The key of the signatures of webhooks.", keys, hasKeyFile: hasKeyFile) {
        secret, connector, transaction, keys throws(ThingError) in
        var changed = connector.value
        changed.webhookSecret = secret.map { keys.seal(Array($0.utf8), for: SecretPlace.webhook(connector.id)) }
        return try transaction.update(connector, to: changed, action: "setSecret")
      },
      .secret(
        "refreshToken", "The first refresh token. It is replaced whenever it was used.", keys, hasKeyFile: hasKeyFile
      ) {
        token, connector, transaction, keys throws(ThingError) in
        try transaction.setTokens(
          token.map {
            keys.seal(
              ConnectorCheck.tokens(refresh: $0), for: SecretPlace.tokens(connector.id))
          }, of: connector.id)
        return try transaction.touch(connector, action: "setRefreshToken", details: [:])
      },
      DerivedField(
        key: "hasSecret", schema: #"{"description":"Whether it has a secret.","type":"boolean"}"#,
        read: { connectors, _ in connectors.map { .bool($0.value.secret != nil) } }, write: nil),
    ]
  }

  // MARK: Commands

  private var remove: Route {
    let operation = Operation(
      id: "removeConnector", summary: "Removes a connector. The vehicles and their records stay.",
      results: [.init(.noContent, "Removed.")])
    return Route(.delete, things.path + "/{connectorId}", .may(.write, .integrations), operation, isFiltered: true) {
      [things] call in
      try await things.change(call) { transaction throws(ThingError) in
        let connector = try things.existing(call, transaction)
        try transaction.removeParts(of: connector.id)
        try transaction.remove(connector, action: "remove")
      }
      return Answer(status: .noContent)
    }
  }

  private var pull: Route {
    things.command("pull", "Pulls at once, also after a failure.") { connector, transaction, _ throws(ThingError) in
      try transaction.follow(connector)
      return connector
    }
  }

  private var check: Route {
    let operation = Operation(
      id: "checkConnector", summary: "Signs in, and reads the first pages without storing them.",
      results: [.init(.ok, "The result.", .json("ConnectorCheck"))])
    return Route(
      .post, things.path + "/{connectorId}/check", .may(.write, .integrations), operation, isFiltered: true
    ) { [things, storage, keys, mayUsePrivate] call in
      let connector = try await storage.view(tenant: try call.tenant) { view throws(ThingError) in
        try things.existing(call, view)
      }
      let result = await ConnectorCheck.run(
        connector, tenant: try call.tenant, storage: storage, keys: keys, mayUsePrivate: mayUsePrivate
      ) { WallClock.now }
      return Answer(
        json: Array(
          JSON.object(["working": .bool(result.isWorking), "message": .text(result.message)]).canonicalText.utf8))
    }
  }

  // MARK: Assets

  private var assets: ThingRoutes<ConnectedAsset> {
    ThingRoutes(
      ofVehicles: storage, area: .vehicles, order: [.init("vehicleId")],
      check: { _, _, _, _ throws(ThingError) in })
  }

  // MARK: Drivers

  private var drivers: ThingRoutes<ConnectedDriver> {
    ThingRoutes(
      ofDrivers: storage, area: .drivers, driver: { $0.driver }, order: [.init("driverId")],
      check: { _, _, _, _ throws(ThingError) in })
  }

  private var duties: ThingRoutes<DutyPeriod> {
    ThingRoutes(
      ofDrivers: storage, area: .drivers, driver: { $0.driver }, order: [.init("from", isDescending: true)],
      check: { _, _, _, _ throws(ThingError) in })
  }
}
