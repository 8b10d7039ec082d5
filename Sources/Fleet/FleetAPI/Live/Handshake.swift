import HTTPTypes
import NIOCore

/// The handshake of a WebSocket, which the access log shows once: when the owner of its token is known, or at the
/// upgrade if it has no token.
struct Handshake {
  private let path: String
  private let log: AccessLog
  private let start = ContinuousClock.now
  private var isReported = false

  /// - Parameter path: the request's target.
  init(path: String, log: AccessLog) {
    self.path = path
    self.log = log
  }

  /// Logs the handshake, unless it was logged before.
  ///
  /// - Parameter identity: the owner of its token; `nil` if unknown.
  mutating func report(_ identity: Identity?, from channel: any Channel) {
    guard !isReported else { return }
    isReported = true
    log.log(
      channel.remoteAddress?.ipAddress, identity, "GET", path, HTTPResponse.Status.switchingProtocols.code, bytes: 0,
      .now - start)
  }
}
