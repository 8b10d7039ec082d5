import FleetDomain
import Logging

/// All that the server can be asked for.
enum FleetRoutes {
  /// Where the WebSocket is; the first by its own name, the second beside all else.
  static let webSocketPaths = ["/ws", "/api/ws"]

  /// The table over a storage, with everything else new: for who wants to know what there is.
  static func table(of storage: any FleetStorage) -> RouteTable {
    let hub = LiveHub(loops: [], settings: LiveSettings(), memory: .memory(1), connections: Connections(1))
    return table(
      storage: storage, authenticator: Authenticator(storage: storage),
      sightings: SightingBook(storage: storage, logger: Logger(label: "routes")),
      metrics: MetricsRoute(
        storage: storage, requests: RequestMetrics(), tenants: TenantMetrics(), hub: hub, more: { [] }),
      hub: hub)
  }

  static func table(
    storage: any FleetStorage, authenticator: Authenticator, sightings: SightingBook, metrics: MetricsRoute,
    hub: LiveHub
  ) -> RouteTable {
    let described =
      [IngestRoute(storage: storage, metrics: metrics.tenants, sightings: sightings).route]
      + VehicleRoutes(storage: storage).routes
      + RecordRoutes(storage: storage).routes
      + FenceRoutes(storage: storage).routes
      + GatewayRoutes(storage: storage, authenticator: authenticator, sightings: sightings).routes
      + TokenRoutes(storage: storage, authenticator: authenticator, hub: hub).routes
      + SystemRoutes(storage: storage, hub: hub).routes
      + [metrics.route]
    let operation = Operation(
      id: "getOpenAPI", summary: "This description (OpenAPI 3.1).",
      results: [.init(.ok, "The description.", .json("Description"))])
    // The description describes itself, too.
    let stub = Route(.get, "/api/openapi.json", .open, operation) { _ in Answer(status: .ok) }
    let text = OpenAPIDocument.text(of: described + [stub])
    // One copy for all who ask.
    let answer = Answer(json: text)
    let description = Route(.get, stub.path.text, .open, operation) { _ in answer }
    return RouteTable(routes: described + [description])
  }
}
