import FleetDomain
import Logging

/// All routes of the server.
enum FleetRoutes {
  /// The paths of the WebSocket: the short one, and the one below `/api`.
  static let webSocketPaths = ["/ws", "/api/ws"]

  /// Creates the route table for a storage, for callers that only need to know the routes.
  static func table(of storage: any FleetStorage) -> RouteTable {
    let hub = LiveHub(loops: [], settings: LiveSettings(), memory: .memory(1), connections: Connections(1))
    return table(
      storage: storage, authenticator: Authenticator(storage: storage),
      lastSeen: LastSeenStore(storage: storage, logger: Logger(label: "routes")),
      metrics: MetricsRoute(
        storage: storage, requests: RequestMetrics(), tenants: TenantMetrics(), hub: hub, more: { [] }),
      hub: hub)
  }

  static func table(
    storage: any FleetStorage, authenticator: Authenticator, lastSeen: LastSeenStore, metrics: MetricsRoute,
    hub: LiveHub
  ) -> RouteTable {
    let described =
      [IngestRoute(storage: storage, metrics: metrics.tenants, lastSeen: lastSeen).route]
      + VehicleRoutes(storage: storage).routes
      + RecordRoutes(storage: storage).routes
      + FenceRoutes(storage: storage).routes
      + GatewayRoutes(storage: storage, authenticator: authenticator, lastSeen: lastSeen).routes
      + TokenRoutes(storage: storage, authenticator: authenticator, hub: hub).routes
      + SystemRoutes(storage: storage, hub: hub).routes
      + [metrics.route]
    let operation = Operation(
      id: "getOpenAPI", summary: "This description (OpenAPI 3.1).",
      results: [.init(.ok, "The description.", .json("Description"))])
    // The description contains its own route.
    let stub = Route(.get, "/api/openapi.json", .open, operation) { _ in Answer(status: .ok) }
    let text = OpenAPIDocument.text(of: described + [stub])
    // One copy for all clients.
    let answer = Answer(json: text)
    let description = Route(.get, stub.path.text, .open, operation) { _ in answer }
    return RouteTable(routes: described + [description])
  }
}
