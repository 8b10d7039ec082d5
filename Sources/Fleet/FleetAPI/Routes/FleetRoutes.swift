import FleetDomain
import Logging

/// All routes of the server.
enum FleetRoutes {
  /// The paths at which clients open a WebSocket: a short path, and a path that begins with `/api`.
  static let webSocketPaths = ["/ws", "/api/ws"]

  /// Creates the route table of a server with this storage. The table can also be listed without a running server.
  static func table(of storage: any FleetStorage) -> RouteTable {
    let hub = LiveHub(loops: [], settings: LiveSettings(), memory: .memory(1), connections: Connections(1))
    let logger = Logger(label: "routes")
    let settings = AccountSettings()
    let authenticator = Authenticator(
      storage: storage, sessions: SessionActivity(storage: storage, limits: settings.limits, logger: logger),
      tokens: TokenActivity(storage: storage, logger: logger))
    let accounts = AccountService(
      storage: storage, settings: settings,
      hasher: PasswordHasher(settings.hashCost, processors: 1, memory: .memory(1)), authenticator: authenticator,
      hub: hub, logger: logger)
    return table(
      storage: storage, authenticator: authenticator, accounts: accounts,
      lastSeen: LastSeenStore(storage: storage, logger: logger),
      metrics: MetricsRoute(
        storage: storage, requests: RequestMetrics(), tenants: TenantMetrics(), hub: hub, more: { [] }),
      hub: hub, days: DayUpdater(storage: storage, logger: logger),
      connectorsMayUsePrivate: false, files: FileService(FileSettings(), nil, storage: storage, logger: logger),
      limits: ServerLimits())
  }

  static func table(
    storage: any FleetStorage, authenticator: Authenticator, accounts: AccountService, lastSeen: LastSeenStore,
    metrics: MetricsRoute, hub: LiveHub, days: DayUpdater, connectorsMayUsePrivate: Bool, files: FileService,
    limits: ServerLimits
  ) -> RouteTable {
    let described =
      [IngestRoute(storage: storage, metrics: metrics.tenants, lastSeen: lastSeen).route]
      + VehicleRoutes(storage: storage).routes
      + FleetGroupRoutes(storage: storage).routes
      + WorkRoutes(storage: storage).routes
      + FuelRoutes(storage: storage).routes
      + JourneyRoutes(storage: storage, mostPlanned: limits.plannedJourneys).routes
      + InspectionRoutes(storage: storage).routes
      + DocumentRoutes(storage: storage).routes
      + FileRoutes(storage: storage, service: files).routes
      + ReceiptRoutes(files: FileRoutes(storage: storage, service: files)).routes
      + PhotoRoutes(files: FileRoutes(storage: storage, service: files)).routes
      + ImportRoutes(storage: storage).routes
      + NotificationRoutes(storage: storage).routes
      + MaintenanceRoutes(storage: storage).routes
      + ConnectorRoutes(
        storage: storage, keys: accounts.settings.secretKeys, hasKeyFile: accounts.settings.hasKeyFile,
        mayUsePrivate: connectorsMayUsePrivate
      ).routes
      + ForwardRoutes(
        storage: storage, keys: accounts.settings.secretKeys, hasKeyFile: accounts.settings.hasKeyFile,
        mayUsePrivate: connectorsMayUsePrivate, owners: authenticator.owners
      ).routes
      + WebhookRoutes(
        storage: storage, keys: accounts.settings.secretKeys, hasKeyFile: accounts.settings.hasKeyFile,
        mayUsePrivate: connectorsMayUsePrivate
      ).routes
      + PushRoutes(
        storage: storage, keys: accounts.settings.secretKeys, hasKeyFile: accounts.settings.hasKeyFile,
        mayUsePrivate: connectorsMayUsePrivate
      ).routes
      + PhoneRoutes(
        storage: storage, keys: accounts.settings.secretKeys, hasKeyFile: accounts.settings.hasKeyFile,
        owners: authenticator.owners
      ).routes
      + RecordRoutes(storage: storage).routes
      + PositionRoutes(storage: storage).routes
      + DayRoutes(storage: storage, updater: days).routes
      + CostRoutes(storage: storage, updater: days).routes
      + MeterRoutes(storage: storage).routes
      + DriverFigureRoutes(storage: storage, drivers: WorkRoutes(storage: storage).drivers).routes
      + ReportRoutes(storage: storage).routes
      + SettingsRoutes(storage: storage).routes
      + FenceRoutes(storage: storage).routes
      + GatewayRoutes(storage: storage, authenticator: authenticator, lastSeen: lastSeen).routes
      + TokenRoutes(storage: storage, authenticator: authenticator, hub: hub).routes
      + SystemRoutes(storage: storage, hub: hub).routes
      + AuthRoutes(accounts: accounts).routes
      + PeopleRoutes(accounts: accounts).routes
      + SessionRoutes(accounts: accounts).routes
      + FactorRoutes(accounts: accounts).routes
      + PasskeyRoutes(accounts: accounts).routes
      + ProviderRoutes(accounts: accounts).routes
      + AuditRoutes(storage: storage).routes
      + ExportRoutes(storage: storage, contents: files.contents).routes
      + [metrics.route]
    let operation = Operation(
      id: "getOpenAPI", summary: "This description (OpenAPI 3.1).",
      results: [.init(.ok, "The description.", .json("Description"))])
    // `openapi.json` must also describe its own route. Therefore this route is described here before its answer exists.
    let stub = Route(.get, "/api/openapi.json", .open, operation) { _ in Answer(status: .ok) }
    // Make the description when the first client requests it. Making it at the start would take most of the time of the
    // start, and few clients request it.
    let answer = LazyValue {
      var answer = Answer(json: OpenAPIDocument.text(of: described + [stub]))
      // All requests receive the same bytes.
      answer.isShared = true
      return answer
    }
    let description = Route(.get, stub.path.text, .open, operation) { _ in answer.value }
    return RouteTable(routes: described + [description])
  }
}
