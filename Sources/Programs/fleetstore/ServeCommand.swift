import ArgumentParser
import CommandLineSupport
import Failures
import FleetAPI
import FleetBroker
import FleetConnectors
import FleetDomain
import FleetFollower
import FleetOutbox
import Logging
import ServiceLifecycle

/// `fleetstore serve`: runs the server.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Runs the server until SIGTERM.",
    discussion: "Without a configuration it uses SQLite in fleet.db of this folder, and listens on 127.0.0.1:8080.")

  @OptionGroup var store: StoreOptions

  @Option(help: ArgumentHelp("Address and port; port 0 means any free port.", valueName: "address"))
  var listen: String?

  @Option(
    help: ArgumentHelp(
      """
      A broker to read records from: amqps://USER@HOST/VHOST or mqtts://USER@HOST; may be repeated for one cluster. Its \
      password is in the configuration's passwordFile or in FLEETSTORE_BROKER_PASSWORD.
      """,
      valueName: "url"))
  var broker: [String] = []

  @Flag(help: "Only check the configuration and its files, and print the effective one as JSON.")
  var check = false

  func run() async throws {
    var configuration = try store.configuration()
    if !broker.isEmpty {
      configuration.broker = try BrokerSettings.options(broker, instead: configuration.broker)
    }
    if var options = configuration.broker {
      try BrokerSettings.addCredential(to: &options)
      let place = broker.isEmpty ? configuration.named("broker.urls") : "--broker"
      try BrokerSettings.refuseInsecure(options, at: place)
      configuration.broker = options
    }
    if let listen {
      guard let address = ListenAddress(listen) else {
        throw Failure(.usage, "--listen: expected \(ListenAddress.expectation), found \"\(listen)\"")
      }
      address.apply(to: &configuration.server)
    }
    do throws(Failure) {
      try configuration.server.checkAddresses()
    } catch {
      throw Failure(.badConfiguration, "\(configuration.named("metrics.listen")): \(error)")
    }
    if let path = configuration.secretKeysFile {
      configuration.server.accounts.use(try SecretKeysFile.parse(path))
    }
    configuration.useStandardFolders()
    if check {
      try Self.checkFiles(configuration, isDatabaseOption: store.database != nil)
      try await Self.checkContents(configuration, mayWait: false)
      return try StandardOutput.write(configuration.text)
    }
    // Check that the addresses are free before the database is created or upgraded, and before the first token is
    // shown.
    try configuration.server.tryAddresses()
    let level = configuration.logLevel
    let repeated = RepeatedLines()
    LoggingSystem.bootstrap { _ in PriorityLog(logLevel: level, repeated: repeated) }
    let logger = Logger(label: "fleetstore")
    let storage = try await configuration.database.open(as: .server)
    storage.limitRecords(ofTenant: configuration.server.limits.tenantBytes)
    if storage.wasRestored {
      logger.warning(
        """
        the database was restored or moved: live readers that resume receive positionGone. Keys that were revoked \
        since the backup are valid again: revoke them again (docs: Backup)
        """)
    }
    OpenFiles.makeRoom(for: &configuration.server.limits, logger)
    do {
      if let warning = try await Self.checkContents(configuration, mayWait: true) { logger.warning("\(warning)") }
      try await FirstStart.prepare(storage)
      if let tenant = configuration.broker?.tenant, try await !storage.tenants().contains(where: { $0.id == tenant }) {
        throw Failure(
          .badConfiguration,
          "\(configuration.named("broker.tenant")): no tenant \(tenant); make it: fleetstore tenant add \(tenant)")
      }
      if let keys = try await SecretKeysFile.read(configuration, for: storage) {
        configuration.server.accounts.use(keys)
      } else if configuration.mail != nil {
        throw Failure(
          .badConfiguration,
          "\(configuration.named("mail")): mails that wait are encrypted: name a file in accounts.secretKeysFile; fleetstore secrets new-key prints its content"
        )
      } else {
        logger.warning(
          """
          no file with keys of secrets: one-time codes cannot be added, and after a restart no browser counts as known; \
          name one in accounts.secretKeysFile (make it: fleetstore secrets new-key)
          """)
      }
      let port = configuration.server.port
      if port != 0 { try await storage.recordServerAddress(configuration.server.localURL(port)) }
      try await serve(configuration, storage, logger, repeated)
    } catch let error as StorageError {
      await storage.close()
      throw Failure(error)
    } catch {
      await storage.close()
      throw error
    }
    await storage.close(within: StopDeadline.forDatabase)
    logger.info("stopped")
  }

  private func serve(
    _ configuration: Configuration, _ storage: any FleetStorage, _ logger: Logger, _ repeated: RepeatedLines
  ) async throws {
    let options = configuration.server
    var quiet = logger
    quiet.logLevel = .warning
    let tenantMetrics = TenantMetrics()
    let worker = try Self.worker(configuration.broker, storage, logger, tenantMetrics)
    let mail = configuration.mail.map {
      MailSender($0, keys: options.accounts.secretKeys, storage: storage, logger: logger) { WallClock.now }
    }
    var web = WebFolder.read(configuration.webFolder ?? WebFolder.standard, logger)
    web?.map = configuration.webMap?.open(logger)
    let notifier = Notifier(
      storage: storage, keys: configuration.mail.map { _ in options.accounts.secretKeys },
      service: options.accounts.serviceName, logger: logger
    ) { WallClock.now }
    let deliveries = DeliverySender(
      storage: storage, keys: options.accounts.secretKeys, contact: Self.contact(configuration),
      mayUsePrivate: options.connectorsMayUsePrivate, logger: logger
    ) { WallClock.now }
    let server = FleetServer(
      options, storage: storage, web: web, logger: logger, tenantMetrics: tenantMetrics,
      onListening: { port in
        ServiceNotices.ready()
        if options.port == 0 { Self.recordAddress(options.localURL(port), storage, logger) }
      },
      moreMetrics: { (worker?.counts.metrics ?? []) + (mail?.current.metrics ?? []) + deliveries.current.metrics })
    // Stop the worker at the same time as the server, not only when the requests are finished.
    let deadline = StopDeadline(options.limits, logger: logger) { worker?.stop() }
    let services =
      (worker.map { [Self.beside(EndedBeside(service: $0))] } ?? [])
      + (mail.map { [Self.beside(EndedBeside(service: $0))] } ?? []) + [
        Self.beside(EndedBeside(service: notifier)),
        Self.beside(EndedBeside(service: deliveries)),
        .init(
          service: server, successTerminationBehavior: .gracefullyShutdownGroup,
          failureTerminationBehavior: .cancelGroup, serviceName: "FleetServer"),
        Self.beside(ServiceNotices(storage: storage, server: server, logger: logger)),
        Self.beside(RecordFollower(storage: storage, logger: logger) { WallClock.now }),
        Self.beside(
          EndedBeside(
            service: ConnectorRunner(
              storage: storage, keys: options.accounts.secretKeys, mayUsePrivate: options.connectorsMayUsePrivate,
              logger: logger
            ) { WallClock.now })),
        Self.beside(ScheduleFollower(storage: storage, logger: logger) { WallClock.now }),
        Self.beside(FuelFollower(storage: storage, logger: logger) { WallClock.now }),
        Self.beside(
          EndedBeside(
            service: ForwardRunner(
              storage: storage, keys: options.accounts.secretKeys, mayUsePrivate: options.connectorsMayUsePrivate,
              logger: logger
            ) { WallClock.now })),
        Self.beside(Maintenance(retention: configuration.retention, storage: storage, logger: logger)),
        Self.beside(LogFlush(repeated: repeated)),
        // The group stops its services in the reverse order.
        Self.beside(deadline),
      ]
    var group = ServiceGroupConfiguration(
      services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet)
    // Requests that are still in progress after this time are interrupted without an answer.
    group.maximumGracefulShutdownDuration = deadline.forRequests
    do {
      try await ServiceGroup(configuration: group).run()
    } catch is CancellationError {
      logger.warning("stopped before every request was answered")
    }
  }

  /// Returns the configuration with which a group runs a service whose end or failure must not stop the other services.
  /// The name is set explicitly, because the library's default name is the printed value of the service with all its
  /// members, such as the files of the web app.
  private static func beside(_ service: some Service) -> ServiceGroupConfiguration.ServiceConfiguration {
    .init(
      service: service, successTerminationBehavior: .ignore, failureTerminationBehavior: .ignore,
      serviceName: "\(type(of: service))")
  }

  /// Returns the URL with which operators of push services can reach the operator of this server (RFC 8292, section
  /// 2.1); `nil` if neither a public `https` URL nor mail is configured.
  private static func contact(_ configuration: Configuration) -> String? {
    if let url = configuration.server.accounts.publicURL, url.hasPrefix("https://") { return url }
    return configuration.mail.map { "mailto:\($0.from.address.text)" }
  }

  /// Stores the server's address in the database. Commands use it in the links that they print.
  private static func recordAddress(_ url: String, _ storage: any FleetStorage, _ logger: Logger) {
    Task {
      do throws(StorageError) {
        try await storage.recordServerAddress(url)
      } catch {
        logger.warning("cannot store the server's address, so links of commands may have another: \(error)")
      }
    }
  }

  private static func worker(
    _ options: BrokerOptions?, _ storage: any FleetStorage, _ logger: Logger, _ metrics: TenantMetrics
  ) throws(Failure) -> BrokerWorker? {
    guard let options else { return nil }
    do throws(BrokerFailure) {
      return try BrokerWorker(
        options, storage: storage, logger: logger, onOutcomes: { metrics.record($0, options.tenant) },
        now: { WallClock.now })
    } catch {
      throw Failure(.unavailable, error.description)
    }
  }
}
