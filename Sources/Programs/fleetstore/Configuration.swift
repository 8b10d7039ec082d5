import Failures
import FleetAPI
import FleetBroker
import FleetOutbox
import JSONText
import Logging

/// The configuration of `fleetstore` (JSON, strict). Every key is optional.
///
///     { "listen": "127.0.0.1:8080", "database": "sqlite:fleet.db", "databasePasswordFile": "database.password",
///       "threads": 2, "logLevel": "info", "accessLog": false,
///       "tls":    { "certificate": "server.pem", "key": "server.key" },
///       "limits": { "idleSeconds": 60, "requestSeconds": 30, "headerBytes": 16384, "bodyBytes": 8388608,
///                   "unpackedBytes": 33554432, "pageBytes": 8388608, "memoryBytes": 268435456, "questions": 3,
///                   "batchRecords": 20000, "connections": 20000, "stopSeconds": 2, "people": 5000,
///                   "plannedJourneys": 100000 },
///       "rate":   { "perSecond": 1000, "burst": 5000 },
///       "strangerRate": { "perSecond": 200, "burst": 2000 },
///       "live":   { "behindBytes": 1048576, "pingSeconds": 30, "subscriptions": 256, "authenticateSeconds": 10,
///                   "origins": ["https://fleet.example"] },
///       "trustedProxies": [],
///       "proxyHeader": "xForwardedFor",
///       "accounts": { "url": "https://fleet.example", "name": "fleetstore", "secretKeysFile": "secret.keys",
///                     "idleSeconds": 43200, "sessionSeconds": 2592000, "appIdleSeconds": 2592000,
///                     "appSessionSeconds": 15552000, "invitationSeconds": 259200 },
///       "mail": { "url": "smtps://mail.example:465", "from": "Fleet <fleet@example.com>", "user": "fleet",
///                 "passwordFile": "mail.password" },
///       "metrics": { "tokenFile": "metrics.token", "listen": "127.0.0.1:9464" },
///       "web": { "folder": "/usr/share/fleetstore/web", "map": { "tiles": "germany.mbtiles" } },
///       "files": { "folder": "fleet.db.files", "fileBytes": 268435456, "tenantBytes": 53687091200,
///                  "personBytes": 10737418240, "images": 1,
///                  "s3": { "url": "https://s3.example", "bucket": "fleet-files", "region": "us-east-1", "prefix": "",
///                          "addressing": "path", "accessKey": "…", "secretKeyFile": "s3.secret",
///                          "insecure": false } },
///       "retention": { "days": { "telemetry": 400 }, "changeHours": 24, "changes": 50000000 },
///       "broker": { "urls": ["amqps://fleet@mq1.example"], "passwordFile": "password", "tenant": "default",
///                   "topic": "fleet", "queue": "fleet.ingest", "prefetchMessages": 256, "prefetchBytes": 8388608,
///                   "messageBytes": 4194304, "retrySeconds": 30 } }
///
/// The example shows the defaults, except for `databasePasswordFile`, `tls`, `origins`, `mail`, `metrics`, `s3`, `days`
/// and `broker`, which are empty by default. Paths are relative to the file. fleetstore.schema.json describes the same
/// keys for editors; a test compares the two.
struct Configuration {
  var server = ServerOptions()
  var database = DatabaseAddress.sqlite(path: "fleet.db")
  var logLevel = Logger.Level.info
  var retention = Retention()
  /// The file with the keys that encrypt secrets in the database; `nil` for the usual place (``SecretKeysFile``).
  var secretKeysFile: String?
  /// Settings of the message broker; `nil` if records arrive only over HTTP.
  var broker: BrokerOptions?
  /// The mail server; `nil` if no mails are sent.
  var mail: MailServer?
  /// The folder of the web app; `nil` for the default (``WebFolder``).
  var webFolder: String?
  /// The base map of the web app; `nil` for the outline map that is part of the app.
  var webMap: WebMap?
  /// Paths of files with secrets.
  var secretFiles = SecretFiles()
  /// Places of keys in the file, for checks that are made after the file was read: `fleetstore.json:3:14:
  /// metrics.listen`.
  private var places: [String: String] = [:]

  struct SecretFiles {
    var database: String?
    var metricsToken: String?
    var broker: String?
    var mail: String?
    var s3: String?
    /// The file with the client secret of each provider, by the provider's id.
    var providers: [String: String] = [:]
  }

  /// Returns the name of a key for messages, preceded by its place if the file contains the key.
  func named(_ key: String) -> String { places[key] ?? key }

  /// Creates the default configuration.
  init() {}

  /// Reads a file.
  ///
  /// - Parameter path: path of the file; `nil` for the default configuration.
  init(path: String?) throws(Failure) {
    guard let path else { return }
    let content = try FileText.content(of: path)
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(parsing: content.bytes)
    } catch {
      throw Failure(.badConfiguration, error.message(in: path))
    }
    do throws(JSONFaults) {
      self = try document.readReportingAllFaults { root throws(JSONError) in
        var reader = try JSONObjectReader(root)
        var configuration = Configuration()
        try configuration.read(&reader, folder: folder, isOpen: content.isForEveryone)
        for value in [
          root["database"], root["files"]?["s3"], root["metrics"]?["listen"], root["broker"]?["tenant"],
          root["broker"]?["urls"],
          root["mail"],
        ] {
          guard let value else { continue }
          configuration.places[value.path] = "\(path):\(value.line):\(value.column): \(value.path)"
        }
        try reader.finish()
        return configuration
      }
    } catch {
      throw Failure(.badConfiguration, lines: error.all.messages(in: path))
    }
  }

  /// Reads the whole object.
  ///
  /// - Parameter isOpen: whether users other than the file's owner and group can read the file.
  private mutating func read(_ reader: inout JSONObjectReader, folder: String, isOpen: Bool) throws(JSONError) {
    // Editors use this key; the server ignores it.
    _ = try reader.optionalString("$schema")
    if let value = reader.optional("listen") {
      guard let address = ListenAddress(try value.requireString()) else {
        throw value.invalid(expected: ListenAddress.expectation)
      }
      address.apply(to: &server)
    }
    try readDatabase(&reader, folder: folder, isOpen: isOpen)
    if var tls = try reader.optionalObject("tls") { server.tls = try PEMFile.readPair(&tls, folder: folder) }
    server.threads = try reader.optionalInt("threads", in: 1...256) ?? server.threads
    if let level = try reader.optionalString("logLevel", oneOf: Logger.Level.allCases.map(\.rawValue)) {
      logLevel = Logger.Level(rawValue: level) ?? logLevel
    }
    server.accessLog = try reader.optionalBool("accessLog") ?? server.accessLog
    try readLimits(&reader)
    try readRate("rate", \.rate, &reader)
    try readRate("strangerRate", \.strangerRate, &reader)
    try readLive(&reader)
    try readMetrics(&reader, folder: folder)
    try readAccounts(&reader, folder: folder)
    try readMail(&reader, folder: folder)
    if var connectors = try reader.optionalObject("connectors") {
      server.connectorsMayUsePrivate =
        try connectors.optionalBool("allowPrivate") ?? server.connectorsMayUsePrivate
      try connectors.finish()
    }
    if var web = try reader.optionalObject("web") {
      if let value = web.optional("folder") { webFolder = try Self.path(value, folder) }
      if var map = try web.optionalObject("map") {
        webMap = try WebMap(&map, folder: folder)
        try map.finish()
      }
      try web.finish()
    }
    try readFiles(&reader, folder: folder)
    if var object = try reader.optionalObject("broker") {
      let (options, passwordFile) = try BrokerSettings.read(&object, folder: folder)
      broker = options
      secretFiles.broker = passwordFile
    }
    if var object = try reader.optionalObject("retention") {
      retention = try Retention(&object)
      try object.finish()
    }
  }

  static func resolved(_ path: String, _ folder: String) -> String { path.hasPrefix("/") ? path : folder + path }

  /// Resolves a path relative to the configuration's folder.
  static func path(_ value: JSONValue, _ folder: String) throws(JSONError) -> String {
    let text = try value.requireString()
    guard (1..<4_096).contains(text.utf8.count), !text.utf8.contains(0) else {
      throw value.invalid(expected: "a path")
    }
    return resolved(text, folder)
  }

  /// Rejects an array with more elements than any server needs. Such an array is a mistake and would cost time and
  /// memory.
  static func refuse(_ value: JSONValue, moreThan most: Int) throws(JSONError) {
    guard value.count <= most else { throw value.invalid(expected: "at most \(most)", found: "\(value.count)") }
  }
}

extension Configuration {
  private mutating func readDatabase(
    _ reader: inout JSONObjectReader, folder: String, isOpen: Bool
  ) throws(JSONError) {
    if let value = reader.optional("database") {
      let text = try value.requireString()
      do throws(DatabaseAddress.ParsingError) {
        database = try DatabaseAddress(text, mayHoldPassword: true).resolved(in: folder)
      } catch {
        throw value.invalid(expected: error.expected, found: error.found)
      }
      if isOpen, database.hasPassword {
        throw value.invalid(
          expected: "no password in a file that all users can read: put it into databasePasswordFile, or run chmod 600",
          found: "one")
      }
    }
    if let value = reader.optional("databasePasswordFile") {
      let path = try Self.path(value, folder)
      let password: String
      do throws(Failure) {
        password = try FileText.readSecretLine(path)
      } catch {
        throw value.invalid(expected: "a file with one line that others cannot read", found: error.description)
      }
      // If the address itself is faulty, there is nothing to check.
      guard !reader.object.leavesOut("database") else { return }
      guard let address = database.withPassword(password) else {
        throw value.invalid(
          expected: "a postgres:// address without a password as \"database\" beside it",
          found: database.hasPassword ? "one with a password" : "none")
      }
      database = address
      secretFiles.database = path
    }
  }

  private mutating func readMetrics(_ reader: inout JSONObjectReader, folder: String) throws(JSONError) {
    guard let object = reader.optional("metrics") else { return }
    var metrics = try JSONObjectReader(object)
    if let value = metrics.optional("tokenFile") {
      let path = try Self.path(value, folder)
      do throws(Failure) {
        server.serverToken = try ServerToken.read(path)
      } catch {
        throw value.invalid(
          expected:
            "a file with a token of \(ServerToken.leastCount) or more letters and digits that others cannot read",
          found: error.description)
      }
      secretFiles.metricsToken = path
    }
    if let value = metrics.optional("listen") {
      guard let address = ListenAddress(try value.requireString()) else {
        throw value.invalid(expected: ListenAddress.expectation)
      }
      server.metrics = MetricsAddress(host: address.host, port: address.port)
    }
    try metrics.finish()
    guard server.serverToken != nil || server.metrics != nil else {
      throw object.invalid(expected: "tokenFile, listen or both", found: "neither")
    }
  }

  private mutating func readLimits(_ reader: inout JSONObjectReader) throws(JSONError) {
    guard var object = try reader.optionalObject("limits") else { return }
    var limits = server.limits
    limits.idleSeconds = try object.optionalInt("idleSeconds", in: 1...86_400) ?? limits.idleSeconds
    limits.requestSeconds = try object.optionalInt("requestSeconds", in: 1...86_400) ?? limits.requestSeconds
    limits.headerBytes = try object.optionalInt("headerBytes", in: 1_024...1_048_576) ?? limits.headerBytes
    limits.bodyBytes = try object.optionalInt("bodyBytes", in: 1_024...1_073_741_824) ?? limits.bodyBytes
    limits.unpackedBytes = try object.optionalInt("unpackedBytes", in: 1_024...1_073_741_824) ?? limits.unpackedBytes
    limits.pageBytes = try object.optionalInt("pageBytes", in: 65_536...268_435_456) ?? limits.pageBytes
    if let value = object.optional("memoryBytes") {
      // If unpackedBytes is faulty, its default must not be used in this check.
      let least = object.object.leavesOut("unpackedBytes") ? 0 : 4 * limits.unpackedBytes
      let bytes = try value.requireInt(in: 1_048_576...1_099_511_627_776)
      guard bytes >= least else {
        throw value.invalid(expected: "at least four times unpackedBytes, \(least)", found: "\(bytes)")
      }
      limits.memoryBytes = bytes
    } else {
      limits.memoryBytes = max(limits.memoryBytes, 4 * limits.unpackedBytes)
    }
    limits.queries = try object.optionalInt("questions", in: 1...1_000) ?? limits.queries
    limits.batchRecords = try object.optionalInt("batchRecords", in: 1...1_000_000) ?? limits.batchRecords
    limits.tenantBytes =
      try object.optionalInt("tenantBytes", in: 1_048_576...1_125_899_906_842_624).map { Int64($0) }
    limits.connections = try object.optionalInt("connections", in: 1...1_000_000) ?? limits.connections
    limits.stopSeconds = try object.optionalInt("stopSeconds", in: 1...3_600) ?? limits.stopSeconds
    server.accounts.mostPeople = try object.optionalInt("people", in: 1...100_000) ?? server.accounts.mostPeople
    limits.plannedJourneys = try object.optionalInt("plannedJourneys", in: 1...1_000_000) ?? limits.plannedJourneys
    try object.finish()
    server.limits = limits
  }

  private mutating func readRate(
    _ key: String, _ path: WritableKeyPath<ServerOptions, RateLimit>, _ reader: inout JSONObjectReader
  ) throws(JSONError) {
    guard var object = try reader.optionalObject(key) else { return }
    var rate = server[keyPath: path]
    rate.perSecond = try object.optionalDouble("perSecond", in: 0.01...1_000_000) ?? rate.perSecond
    rate.burst = try object.optionalDouble("burst", in: 1...1_000_000) ?? rate.burst
    try object.finish()
    server[keyPath: path] = rate
  }

  private mutating func readLive(_ reader: inout JSONObjectReader) throws(JSONError) {
    guard var object = try reader.optionalObject("live") else { return }
    var live = server.live
    live.behindBytes = try object.optionalInt("behindBytes", in: 65_536...1_073_741_824) ?? live.behindBytes
    live.pingSeconds = try object.optionalInt("pingSeconds", in: 1...3_600) ?? live.pingSeconds
    live.subscriptions = try object.optionalInt("subscriptions", in: 1...100_000) ?? live.subscriptions
    live.authenticateSeconds = try object.optionalInt("authenticateSeconds", in: 1...600) ?? live.authenticateSeconds
    if let origins = object.optional("origins") {
      let listed = try origins.requireArray()
      try Self.refuse(origins, moreThan: 1_024)
      for value in listed {
        let text = try value.requireString()
        guard text == "*" || WebAddress.isOrigin(text) else {
          throw value.invalid(expected: WebAddress.expectedOrigin)
        }
        live.origins.listed.insert(text)
      }
    }
    try object.finish()
    server.live = live
  }
}
