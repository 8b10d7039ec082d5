import HTTPTypes

/// The handshake of a WebSocket. The access log contains one line for it. The line is written after the handshake's
/// token has been authenticated; without a token, it is written immediately.
struct Handshake {
  private let path: String
  private let log: AccessLog
  private let start = ContinuousClock.now
  private var isReported = false

  /// The client that sent the handshake.
  let client: Client

  /// Creates the handshake.
  ///
  /// - Parameter path: the target of the HTTP request.
  init(path: String, log: AccessLog, client: Client) {
    self.client = client
    self.path = path
    self.log = log
  }

  /// Writes the handshake to the access log, unless this was done before.
  ///
  /// - Parameter identity: the owner of the handshake's token; `nil` if the token is unknown or missing.
  mutating func report(_ identity: Identity?) {
    guard !isReported else { return }
    isReported = true
    log.log(
      client.address, identity, "GET", path, HTTPResponse.Status.switchingProtocols.code, bytes: 0,
      .now - start)
  }
}
