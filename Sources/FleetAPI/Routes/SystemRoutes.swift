import FleetDomain
import HTTPTypes
import Telemetry

/// What the server says of itself.
struct SystemRoutes {
  let storage: any FleetStorage
  let metrics: RequestMetrics
  let hub: LiveHub

  /// Without what describes them all, which needs them.
  var routes: [Route] { [health, metricsText, webSocket] }

  private var health: Route {
    let operation = Operation(
      id: "getHealth", summary: "Whether the server and its storage work.",
      results: [.init(.ok, "They do.", .json("Health"))])
    return Route(.get, "/api/health", .open, operation) { [storage] call in
      let health: StorageHealth
      do {
        health = try await storage.health()
      } catch {
        call.logger.error("storage: \(error)")
        throw APIError(
          .serviceUnavailable, "storageUnavailable", "the storage does not answer; see the server's log", retryAfter: 10
        )
      }
      return Answer(
        json: JSONBody.object { line in
          line.field("status", "ok" as StaticString)
          line.field("version", FleetServer.version)
          line.field("schema", health.schemaVersion)
        })
    }
  }

  private var metricsText: Route {
    let operation = Operation(
      id: "getMetrics", summary: "Counters in Prometheus' text format; of the whole server, without names of tenants.",
      results: [.init(.ok, "Metrics.", .init(types: ["text/plain; version=0.0.4"], schema: nil))])
    return Route(.get, "/api/metrics", .readers, operation) { [storage, metrics, hub] _ in
      let counts = try await storage.counts()
      var text = PrometheusText()
      text.add("fleetstore_records_stored_total", .counter, "Records stored.", Int(counts.stored))
      text.add(
        "fleetstore_records_duplicate_total", .counter, "Records that were there already.", Int(counts.duplicates))
      text.add("fleetstore_records_improved_total", .counter, "Records that got a better time.", Int(counts.improved))
      text.add("fleetstore_records_refused_total", .counter, "Records that were refused.", Int(counts.refused))
      text.add("fleetstore_commits_total", .counter, "Transactions that took records in.", Int(counts.commits))
      text.add("fleetstore_records_waiting", .gauge, "Records that wait for a transaction.", counts.waiting)
      text.add("fleetstore_tenants", .gauge, "Tenants.", Int(counts.tenants))
      text.add("fleetstore_vehicles", .gauge, "Vehicles of all tenants.", Int(counts.vehicles))
      text.add("fleetstore_gateways", .gauge, "Gateways of all tenants.", Int(counts.gateways))
      let live = hub.counts
      text.add("fleetstore_live_connections", .gauge, "WebSockets that are open.", live.connections)
      text.add("fleetstore_live_subscriptions", .gauge, "Channels that they listen to.", live.subscriptions)
      let requests = metrics.all
      text.head("fleetstore_requests_total", .counter, "Requests answered.")
      for (key, sum) in requests { text.value("fleetstore_requests_total", Self.labels(key), sum.count) }
      text.head("fleetstore_request_seconds_total", .counter, "Time that answers took.")
      for (key, sum) in requests { text.value("fleetstore_request_seconds_total", Self.labels(key), sum.seconds) }
      return Answer(type: "text/plain; version=0.0.4", bytes: Array(text.text.utf8))
    }
  }

  private static func labels(_ key: RequestMetrics.Key) -> [(String, String)] {
    [("method", key.method), ("route", key.route), ("status", String(key.status))]
  }

  /// What a request gets that asks for the WebSocket and is no handshake for it.
  private var webSocket: Route {
    let operation = Operation(
      id: "listenLive",
      summary:
        "WebSocket (RFC 6455): messages `authenticate`, `subscribe`, `unsubscribe`, `ping`; records as they come in.",
      parameters: [
        .header("Upgrade", "`websocket`"), .header("Sec-WebSocket-Version", "`13`"),
        .header("Sec-WebSocket-Key", "16 random bytes in Base64."),
      ], results: [.init(.switchingProtocols, "The WebSocket is open.")], errors: [.upgradeRequired])
    return Route(.get, FleetRoutes.webSocketPath, .open, operation) { [hub] call in
      guard hub.settings.origins.allow(call.request.headers[.origin], host: call.request.head.authority) else {
        throw APIError.forbidden("Origin: pages of \(quoted(call.request.headers[.origin] ?? "")) may not connect")
      }
      throw APIError(
        .upgradeRequired, "upgradeRequired",
        "this is a WebSocket: connect with Upgrade: websocket and Sec-WebSocket-Version: 13, as a connection's first request"
      )
    }
  }
}
