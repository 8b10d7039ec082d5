import FleetDomain
import NIOCore

/// Limits the number of messages that one event loop processes without a pause. Messages above this number wait for a
/// later round. A round takes messages from the waiting tenants in rotation, and from the keys of each tenant in
/// rotation. Between two rounds, the event loop does other work. All calls must be on the event loop.
struct MessageScheduler {
  /// The maximum number of messages in one round.
  private static let most = 8

  private var waiting = FairQueue<Holder.Group, SecretHash?, LiveConnection> { _ in 1 }
  private var taken = 0

  var isEmpty: Bool { waiting.isEmpty }

  /// Handles a message that a connection has received.
  ///
  /// - Returns: whether the connection may process the message now. If not, it becomes part of a later round.
  mutating func mayProcess(_ connection: LiveConnection) -> Bool {
    if waiting.isEmpty, taken < Self.most {
      taken += 1
      return true
    }
    waiting.add(connection, group: connection.holder.group, member: connection.holder.key)
    return false
  }

  /// Returns the connections of the next round. A connection occurs once for each message that it may process.
  mutating func nextRound() -> [LiveConnection] {
    var round: [LiveConnection] = []
    while round.count < Self.most, let next = waiting.next() { round.append(next) }
    taken = round.count
    return round
  }
}
