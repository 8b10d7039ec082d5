import FleetDomain
import HTTPTypes
import Telemetry

/// Routes that concern the server itself: its health, and its WebSocket.
struct SystemRoutes {
  let storage: any FleetStorage
  let hub: LiveHub

  /// The routes about the server, except the route of `openapi.json`, which needs the list of all routes.
  var routes: [Route] {
    [health] + zip(FleetRoutes.webSocketPaths, ["listenLive", "listenLiveBelowAPI"]).map { webSocket($0, $1) }
  }

  private var health: Route {
    let operation = Operation(
      id: "getHealth", summary: "Checks the server and its storage.",
      results: [.init(.ok, "Both work.", .json("Health"))])
    let recent = RecentValue(for: .seconds(1)) { [storage] in try await storage.health() }
    return Route(.get, "/api/health", .open, operation) { call in
      let health: StorageHealth
      do {
        // Every client may send this request. Therefore the storage is asked at most once a second.
        health = try await recent.value
      } catch {
        call.logger.error("storage: \(error)")
        throw Self.refusal(error)
      }
      return Answer(
        json: JSONBody.object { line in
          line.field("status", "ok" as StaticString)
          line.field("version", FleetServer.version)
          line.field("schema", health.schemaVersion)
        })
    }
  }

  /// Returns the error for clients if the storage does not work. It contains neither the address of the database nor
  /// its messages.
  private static func refusal(_ error: any Error) -> APIError {
    let (code, message) =
      switch (error as? StorageError)?.kind {
      case .full: ("storageFull", "records are not stored: the database has no space left")
      case .readOnly: ("storageReadOnly", "records are not stored: the database is read-only")
      case .damaged: ("storageDamaged", "records are not stored: the database is damaged")
      default: ("storageUnavailable", "the storage does not answer, or cannot store records")
      }
    return APIError(.serviceUnavailable, code, message + "; see the server's log", retryAfter: 10)
  }

  /// Returns the route for requests to the path of the WebSocket. It answers requests that are not a valid handshake.
  private func webSocket(_ path: String, _ id: String) -> Route {
    let operation = Operation(
      id: id,
      summary:
        "WebSocket (RFC 6455): clients send LiveCommand, the server sends LiveEvent, each as one text message.",
      parameters: [
        .header("Upgrade", "`websocket`"), .header("Sec-WebSocket-Version", "`13`"),
        .header("Sec-WebSocket-Key", "16 random bytes in Base64."),
      ], results: [.init(.switchingProtocols, "The WebSocket is open.")], errors: [.forbidden, .upgradeRequired])
    return Route(.get, path, .open, operation) { [hub] call in
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
