import FleetDomain
import NIOCore

/// A queue for messages of clients, if more arrive than one event loop should process at once. Tenants take turns,
/// then the keys of each. Between two rounds the loop does its other work. Use it only on the loop.
struct MessageTurns {
  /// The number of messages in one round.
  private static let most = 8

  private var waiting = FairQueue<Holder.Group, SecretHash?, LiveConnection> { _ in 1 }
  private var taken = 0

  var isEmpty: Bool { waiting.isEmpty }

  /// - Returns: whether the message may be processed now. If not, its connection is called later.
  mutating func mayTake(_ connection: LiveConnection) -> Bool {
    if waiting.isEmpty, taken < Self.most {
      taken += 1
      return true
    }
    waiting.add(connection, group: connection.holder.group, member: connection.holder.key)
    return false
  }

  /// Returns the connections of the next round, each as often as it may process a message.
  mutating func nextRound() -> [LiveConnection] {
    var round: [LiveConnection] = []
    while round.count < Self.most, let next = waiting.next() { round.append(next) }
    taken = round.count
    return round
  }
}
