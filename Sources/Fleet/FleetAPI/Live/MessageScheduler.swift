import FleetDomain
import NIOCore

/// Limits the number of messages that one event loop processes at once. Further messages wait, and are processed in
/// rotation by tenant, then by key. Between two rounds, the loop does its other work. Use it only on the loop.
struct MessageScheduler {
  /// The number of messages in one round.
  private static let most = 8

  private var waiting = FairQueue<Holder.Group, SecretHash?, LiveConnection> { _ in 1 }
  private var taken = 0

  var isEmpty: Bool { waiting.isEmpty }

  /// Adds a message.
  ///
  /// - Returns: whether the message may be processed now. If not, its connection is part of a later round.
  mutating func mayProcess(_ connection: LiveConnection) -> Bool {
    if waiting.isEmpty, taken < Self.most {
      taken += 1
      return true
    }
    waiting.add(connection, group: connection.holder.group, member: connection.holder.key)
    return false
  }

  /// Returns the connections of the next round. Each occurs as many times as it may process a message.
  mutating func nextRound() -> [LiveConnection] {
    var round: [LiveConnection] = []
    while round.count < Self.most, let next = waiting.next() { round.append(next) }
    taken = round.count
    return round
  }
}
