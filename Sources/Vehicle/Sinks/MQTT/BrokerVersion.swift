/// Chooses the protocol version: MQTT 5, or MQTT 3.1.1 if the broker rejects MQTT 5. A version that the broker has
/// accepted is kept.
struct BrokerVersion: Equatable, Sendable {
  /// Protocol level in CONNECT (section 3.1.2.2): 5, or 4 for MQTT 3.1.1.
  private(set) var level = 5
  private var isKnown = false

  /// Remembers that the broker accepted a connection with the current version.
  mutating func accepted() { isKnown = true }

  /// Handles a connection that the broker rejected.
  ///
  /// - Parameter reason: reason code of CONNACK. An unsupported version is 132 in MQTT 5 (section 3.2.2.2), and 1 in
  ///   MQTT 3.1.1 (section 3.2.2.3).
  /// - Returns: whether to connect again immediately, with the other version.
  mutating func refused(_ reason: Int) -> Bool {
    guard level == 5, reason == 132 || reason == 1 else { return false }
    level = 4
    return true
  }

  /// Handles a connection that the broker closed without an answer, as old brokers do if they do not support the
  /// version. If no version was accepted before, the next attempt uses the other version.
  mutating func closedWithoutAnswer() {
    if !isKnown { level = level == 5 ? 4 : 5 }
  }
}
