import HTTPTypes

/// The handshake of a WebSocket. It is written to the access log once: when its token is authenticated or, if it has no
/// token, at the upgrade.
struct Handshake {
  private let path: String
  private let log: AccessLog
  private let start = ContinuousClock.now
  private var isReported = false

  /// The client that sent the handshake.
  let client: Client

  /// Creates the handshake.
  ///
  /// - Parameter path: the request's target.
  init(path: String, log: AccessLog, client: Client) {
    self.client = client
    self.path = path
    self.log = log
  }

  /// Logs the handshake, unless it was logged before.
  ///
  /// - Parameter identity: the owner of the handshake's token; `nil` if unknown.
  mutating func report(_ identity: Identity?) {
    guard !isReported else { return }
    isReported = true
    log.log(
      client.address, identity, "GET", path, HTTPResponse.Status.switchingProtocols.code, bytes: 0,
      .now - start)
  }
}
