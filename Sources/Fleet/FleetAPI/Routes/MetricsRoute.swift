import FleetDomain
import Telemetry

/// The routes of metrics. `GET /api/metrics` returns the metrics of the token's tenant; for the server's own token, it
/// returns the metrics of the whole server. `GET /metrics` on a separate port returns the metrics of the whole server
/// to every client.
struct MetricsRoute {
  let storage: any FleetStorage
  let requests: RequestMetrics
  let tenants: TenantMetrics
  let hub: LiveHub
  /// Returns the metrics of other components in the same process.
  let more: @Sendable () -> [ServerMetric]

  var route: Route {
    let operation = Operation(
      id: "getMetrics",
      summary:
        "Counters in Prometheus' text format: of the token's tenant, or with the server's own token of the whole server.",
      results: [.init(.ok, "Metrics.", Self.content)])
    return Route(.get, "/api/metrics", .mayOrServer(.read, .settings), operation) { call in
      guard let tenant = call.identity?.tenant else { return try await whole() }
      var text = PrometheusText()
      try await write(tenant, to: &text)
      return Self.answer(text)
    }
  }

  /// The route without authentication, for the separate port of metrics.
  var openRoute: Route {
    let operation = Operation(
      id: "getAllMetrics", summary: "Counters of the whole server in Prometheus' text format.",
      results: [.init(.ok, "Metrics.", Self.content)])
    return Route(.get, "/metrics", .open, operation) { _ in try await whole() }
  }

  private static let type = "text/plain; version=0.0.4"
  private static var content: Operation.Content { .init(types: [type], schema: nil) }
  private static func answer(_ text: PrometheusText) -> Answer { Answer(type: type, bytes: text.bytes) }

  private func whole() async throws -> Answer {
    var text = PrometheusText()
    try await writeAll(to: &text)
    return Self.answer(text)
  }

  private func write(_ tenant: TenantID, to text: inout PrometheusText) async throws {
    text.add(tenants[tenant])
    let size = try await storage.recordBytes(tenant: tenant)
    text.add("fleetstore_record_bytes", .gauge, "Size of the stored records.", Int(size.bytes))
    if let limit = size.limit {
      text.add(
        "fleetstore_record_bytes_limit", .gauge, "Size at which no more records are stored (limits.tenantBytes).",
        Int(limit))
    }
    text.add(
      "fleetstore_live_subscriptions", .gauge, "Channels that WebSockets listen to.", hub.subscriptions(of: tenant))
    text.add(requests.sums(of: tenant))
  }

  private func writeAll(to text: inout PrometheusText) async throws {
    let counts = try await storage.counts()
    text.add(tenants[nil])
    text.add("fleetstore_commits_total", .counter, "Transactions that took records in.", Int(counts.commits))
    text.add("fleetstore_records_waiting", .gauge, "Records that wait for a transaction.", counts.waiting)
    text.add("fleetstore_record_bytes", .gauge, "Size of the stored records of all tenants.", Int(counts.recordBytes))
    text.add("fleetstore_tenants", .gauge, "Tenants.", Int(counts.tenants))
    text.add("fleetstore_vehicles", .gauge, "Vehicles of all tenants.", Int(counts.vehicles))
    text.add("fleetstore_gateways", .gauge, "Gateways of all tenants.", Int(counts.gateways))
    text.add(
      "fleetstore_records_removed_total", .counter,
      "Records that retention has removed, and those of removed vehicles.",
      Int(counts.recordsRemoved))
    text.add(
      "fleetstore_changes_removed_total", .counter, "Changes that are kept no longer.", Int(counts.changesRemoved))
    text.add(
      "fleetstore_removals_waiting", .gauge, "Removed vehicles of which there are records still.", Int(counts.removals))
    text.add(writes: counts.writes)
    let live = hub.counts
    text.add("fleetstore_live_connections", .gauge, "WebSockets that are open.", live.connections)
    text.add("fleetstore_live_subscriptions", .gauge, "Channels that WebSockets listen to.", live.subscriptions)
    text.add("fleetstore_memory_bytes", .gauge, "What requests and live connections hold.", hub.memory.server.used)
    text.add("fleetstore_memory_limit_bytes", .gauge, "What they may hold.", hub.memory.server.capacity)
    for figure in more() {
      text.add(figure.name, figure.kind == .counter ? .counter : .gauge, figure.help, figure.value)
    }
    text.add(requests.sums(of: nil))
  }
}

extension PrometheusText {
  /// Adds a metric that has one value and no labels.
  fileprivate mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
    family(name, kind, help)
    sample(count: value)
  }

  fileprivate mutating func add(_ records: IngestCounts) {
    add("fleetstore_records_stored_total", .counter, "Records stored.", records.stored)
    add("fleetstore_records_duplicate_total", .counter, "Records that were there already.", records.duplicates)
    add("fleetstore_records_improved_total", .counter, "Records that got a better time.", records.improved)
    add("fleetstore_records_refused_total", .counter, "Records that were refused.", records.refused)
  }

  fileprivate mutating func add(writes: [String: WriteTimes]) {
    let sums = writes.sorted { $0.key < $1.key }
    family("fleetstore_write_transactions_total", .counter, "Transactions that wrote to SQLite.")
    for (operation, sum) in sums { sample(count: sum.count, [("operation", operation)]) }
    family("fleetstore_write_seconds_total", .counter, "Time for which they held the only writer.")
    for (operation, sum) in sums { sample(sum.seconds, [("operation", operation)]) }
    family("fleetstore_write_longest_seconds", .gauge, "The longest time of one of them.")
    for (operation, sum) in sums { sample(sum.longest, [("operation", operation)]) }
  }

  fileprivate mutating func add(_ requests: [(RequestMetrics.Key, RequestMetrics.Sum)]) {
    func labels(_ key: RequestMetrics.Key) -> [(String, String)] {
      [("method", key.method), ("route", key.route), ("status", String(key.status))]
    }
    family("fleetstore_requests_total", .counter, "Requests answered.")
    for (key, sum) in requests { sample(count: sum.count, labels(key)) }
    family("fleetstore_request_seconds_total", .counter, "Time that answers took.")
    for (key, sum) in requests { sample(sum.seconds, labels(key)) }
  }
}
