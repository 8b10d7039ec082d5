import HummingbirdCore
import Logging
import NIOCore

/// Limits the number of connections. Logs a message when the limit is reached, and another when new connections are
/// accepted again.
struct ConnectionLimit: AvailableConnectionsDelegate {
  private let limit: Int
  private let what: String
  private let logger: Logger
  private var count = 0
  private var isFull = false

  /// Creates a limit.
  ///
  /// - Parameter what: a description of the limited connections, for the log.
  init(_ limit: Int, _ what: String, logger: Logger) {
    self.limit = limit
    self.what = what
    self.logger = logger
  }

  mutating func connectionOpened() {
    count += 1
    guard count >= limit, !isFull else { return }
    isFull = true
    logger.warning("\(count) connections: new ones are refused until some end (\(what))")
  }

  mutating func connectionClosed() {
    count -= 1
    // Log this only after a tenth of the connections is free. Otherwise, both messages would alternate while
    // connections begin and end.
    guard isFull, count <= limit - max(limit / 10, 1) else { return }
    isFull = false
    logger.notice("\(count) connections: new ones are accepted again (\(what))")
  }

  func isAcceptingNewConnections() -> Bool { count < limit }
}
