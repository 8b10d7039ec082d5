/// Chooses the protocol version: MQTT 5, or 3.1.1 if the broker rejects that. When the broker has accepted a version
/// once, that version is kept.
struct BrokerVersion: Equatable, Sendable {
  /// Protocol level of CONNECT (section 3.1.2.2): 5, or 4 for MQTT 3.1.1.
  private(set) var level = 5
  private var isKnown = false

  /// Remembers that the broker accepted the connection.
  mutating func accepted() { isKnown = true }

  /// Remembers that the broker rejected the connection.
  ///
  /// - Parameter reason: reason code of CONNACK: 132 in MQTT 5 (section 3.2.2.2), 1 in 3.1.1 (section 3.2.2.3) for an
  ///   unsupported version.
  /// - Returns: whether to connect again at once, with the other version.
  mutating func refused(_ reason: Int) -> Bool {
    guard level == 5, reason == 132 || reason == 1 else { return false }
    level = 4
    return true
  }

  /// Remembers that the broker closed the connection without an answer, as old brokers do if the version is not
  /// supported. The next attempt uses the other version.
  mutating func closedWithoutAnswer() {
    if !isKnown { level = level == 5 ? 4 : 5 }
  }
}
