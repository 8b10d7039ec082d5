import FleetDomain
import NIOCore

/// Messages of clients wait here when more come than one event loop should take at a time: tenants have their turn, then the
/// keys of each, and between two rounds the loop does its other work. Only ever touched on the loop.
struct MessageTurns {
  /// Messages of one round.
  private static let most = 8

  private var waiting = FairQueue<Holder.Group, SecretHash?, LiveConnection> { _ in 1 }
  private var taken = 0

  var isEmpty: Bool { waiting.isEmpty }

  /// - Returns: whether a message may be taken now; otherwise its connection is told when.
  mutating func mayTake(_ connection: LiveConnection) -> Bool {
    if waiting.isEmpty, taken < Self.most {
      taken += 1
      return true
    }
    waiting.add(connection, group: connection.holder.group, member: connection.holder.key)
    return false
  }

  /// The connections of the next round, each as often as it may take a message.
  mutating func nextRound() -> [LiveConnection] {
    var round: [LiveConnection] = []
    while round.count < Self.most, let next = waiting.next() { round.append(next) }
    taken = round.count
    return round
  }
}
