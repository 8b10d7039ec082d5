/// Which protocol is spoken with a broker: MQTT 5, and 3.1.1 where that is refused. What a broker took once is kept.
struct BrokerVersion: Equatable, Sendable {
  /// As CONNECT says it (3.1.2.2): 5, or 4 for 3.1.1.
  private(set) var level = 5
  private var isKnown = false

  /// The broker has taken the connection.
  mutating func accepted() { isKnown = true }

  /// The broker has refused it.
  ///
  /// - Parameter reason: of CONNACK: 132 in MQTT 5 (3.2.2.2), 1 in 3.1.1 (3.2.2.3).
  /// - Returns: whether another version is worth a try at once.
  mutating func refused(_ reason: Int) -> Bool {
    guard level == 5, reason == 132 || reason == 1 else { return false }
    level = 4
    return true
  }

  /// The broker has closed the connection without an answer, as old ones do: the next attempt speaks the other version.
  mutating func closedWithoutAnswer() {
    if !isKnown { level = level == 5 ? 4 : 5 }
  }
}
