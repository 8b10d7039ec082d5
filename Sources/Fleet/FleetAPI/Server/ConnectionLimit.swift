import HummingbirdCore
import Logging
import NIOCore

/// Takes no more connections than there may be; says so once each time that it comes to that, and when it is over.
struct ConnectionLimit: AvailableConnectionsDelegate {
  private let limit: Int
  private let what: String
  private let logger: Logger
  private var count = 0
  private var isFull = false

  /// - Parameter what: in which words the log speaks of it.
  init(_ limit: Int, _ what: String, logger: Logger) {
    self.limit = limit
    self.what = what
    self.logger = logger
  }

  mutating func connectionOpened() {
    count += 1
    guard count >= limit, !isFull else { return }
    isFull = true
    logger.warning("\(count) connections: no more are taken until some end (\(what))")
  }

  mutating func connectionClosed() {
    count -= 1
    // Not each time that one goes and another comes.
    guard isFull, count <= limit - max(limit / 10, 1) else { return }
    isFull = false
    logger.notice("\(count) connections: more are taken again (\(what))")
  }

  func isAcceptingNewConnections() -> Bool { count < limit }
}
