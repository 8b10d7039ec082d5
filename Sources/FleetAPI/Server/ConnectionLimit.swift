import HummingbirdCore
import Logging
import NIOCore

/// Takes no more connections than there may be; says so once each time that it comes to that, and when it is over.
struct ConnectionLimit: AvailableConnectionsDelegate {
  private let limit: Int
  private let logger: Logger
  private var count = 0
  private var isFull = false

  init(_ limit: Int, logger: Logger) {
    self.limit = limit
    self.logger = logger
  }

  mutating func connectionOpened() {
    count += 1
    guard count >= limit, !isFull else { return }
    isFull = true
    logger.warning("\(count) connections: no more are taken until some end (limits.connections)")
  }

  mutating func connectionClosed() {
    count -= 1
    // Not each time that one goes and another comes.
    guard isFull, count <= limit - max(limit / 10, 1) else { return }
    isFull = false
    logger.notice("\(count) connections: more are taken again")
  }

  func isAcceptingNewConnections() -> Bool { count < limit }
}
