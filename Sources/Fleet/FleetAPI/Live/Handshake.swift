import HTTPTypes

/// The handshake of a WebSocket. The access log shows it once: when the token is authenticated, or at the upgrade if
/// there is no token.
struct Handshake {
  private let path: String
  private let log: AccessLog
  private let start = ContinuousClock.now
  private var isReported = false

  /// The origin of the handshake.
  let client: Client

  /// - Parameter path: the request's target.
  init(path: String, log: AccessLog, client: Client) {
    self.client = client
    self.path = path
    self.log = log
  }

  /// Logs the handshake, unless it was logged before.
  ///
  /// - Parameter identity: the owner of its token; `nil` if unknown.
  mutating func report(_ identity: Identity?) {
    guard !isReported else { return }
    isReported = true
    log.log(
      client.address, identity, "GET", path, HTTPResponse.Status.switchingProtocols.code, bytes: 0,
      .now - start)
  }
}
