import FleetAPI
import FleetBroker
import FleetDomain
import FleetStorage
import Telemetry

extension Configuration {
  /// The effective configuration, including defaults, as one line of JSON with the keys of the file. Secrets, and
  /// values that may contain secrets, are left out.
  var text: String {
    var line = JSONLineEncoder(capacity: 4_096, growable: true)
    line.begin()
    line.field("listen", ListeningAddress.text(server.host, server.port))
    line.field("database", database.shown)
    line.field("databasePasswordFile", secretFiles.database)
    line.field("threads", server.threads)
    line.field("logLevel", logLevel.rawValue)
    line.field("accessLog", server.accessLog)
    if let tls = server.tls {
      line.beginObject("tls")
      line.field("certificate", tls.certificate)
      line.field("key", tls.key)
      line.end()
    }
    write(server.limits, people: server.accounts.mostPeople, &line)
    let rates: [(StaticString, RateLimit)] = [("rate", server.rate), ("strangerRate", server.strangerRate)]
    for (key, rate) in rates {
      line.beginObject(key)
      line.field("perSecond", rate.perSecond)
      line.field("burst", rate.burst)
      line.end()
    }
    line.beginObject("live")
    line.field("behindBytes", server.live.behindBytes)
    line.field("pingSeconds", server.live.pingSeconds)
    line.field("subscriptions", server.live.subscriptions)
    line.field("authenticateSeconds", server.live.authenticateSeconds)
    line.field("origins", server.live.origins.listed.sorted())
    line.end()
    writeAccounts(&line)
    if let mail { write(mail, &line) }
    line.beginObject("connectors")
    line.field("allowPrivate", server.connectorsMayUsePrivate)
    line.end()
    if server.metrics != nil || secretFiles.metricsToken != nil {
      line.beginObject("metrics")
      line.field("tokenFile", secretFiles.metricsToken)
      line.field("listen", server.metrics.map { ListeningAddress.text($0.host, $0.port) })
      line.end()
    }
    if webFolder != nil || webMap != nil {
      line.beginObject("web")
      line.field("folder", webFolder)
      webMap?.write(to: &line)
      line.end()
    }
    line.beginObject("files")
    line.field("folder", server.files.folder)
    if let bucket = server.files.s3 { write(bucket, &line) }
    line.field("fileBytes", server.files.fileBytes)
    line.field("tenantBytes", server.files.tenantBytes)
    line.field("personBytes", server.files.personBytes)
    line.field("images", server.files.images)
    line.end()
    write(retention, &line)
    if let broker { write(broker, &line) }
    line.finish()
    return line.withLine { line in unsafe line.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) } }
  }

  private func write(_ limits: ServerLimits, people: Int, _ line: inout JSONLineEncoder) {
    line.beginObject("limits")
    line.field("idleSeconds", limits.idleSeconds)
    line.field("requestSeconds", limits.requestSeconds)
    line.field("headerBytes", limits.headerBytes)
    line.field("bodyBytes", limits.bodyBytes)
    line.field("unpackedBytes", limits.unpackedBytes)
    line.field("pageBytes", limits.pageBytes)
    line.field("memoryBytes", limits.memoryBytes)
    line.field("questions", limits.queries)
    line.field("batchRecords", limits.batchRecords)
    if let bytes = limits.tenantBytes { line.field("tenantBytes", Int(bytes)) }
    line.field("connections", limits.connections)
    line.field("stopSeconds", limits.stopSeconds)
    line.field("people", people)
    line.field("plannedJourneys", limits.plannedJourneys)
    line.end()
  }

  private func write(_ retention: Retention, _ line: inout JSONLineEncoder) {
    line.beginObject("retention")
    line.beginObject("days")
    for recordClass in RecordClass.allCases {
      guard let days = retention.days[recordClass] else { continue }
      line.key(recordClass.name)
      line.value(days)
    }
    line.end()
    line.field("changeHours", retention.changeHours)
    line.field("changes", retention.changes)
    line.field("startMinutes", retention.startMinutes)
    line.end()
  }

  private func write(_ broker: BrokerOptions, _ line: inout JSONLineEncoder) {
    line.beginObject("broker")
    line.field("urls", broker.addresses.map(\.description))
    line.field("passwordFile", secretFiles.broker)
    line.field("insecure", broker.isInsecure)
    line.field("tenant", broker.tenant.text)
    line.field("topic", broker.topic)
    line.field("queue", broker.queue)
    line.field("group", broker.group)
    line.field("clientId", broker.clientId)
    line.field("sessionSeconds", broker.sessionSeconds)
    line.field("prefetchMessages", broker.prefetchMessages)
    line.field("prefetchBytes", broker.prefetchBytes)
    line.field("messageBytes", broker.messageBytes)
    line.field("retrySeconds", broker.retrySeconds)
    if broker.tls != BrokerTLS() {
      line.beginObject("tls")
      line.field("caFile", broker.tls.authorities)
      line.field("certificateFile", broker.tls.certificate)
      line.field("keyFile", broker.tls.key)
      line.end()
    }
    line.end()
  }
}

extension DatabaseAddress {
  /// The database's address. Of a PostgreSQL address only the kind is shown, because the address may contain a
  /// password.
  fileprivate var shown: String {
    switch self {
    case .sqlite(let path): "sqlite:\(path)"
    case .postgres: "postgres://…"
    }
  }
}
