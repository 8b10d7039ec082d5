/// A message as the broker delivered it.
struct ConsumedMessage: Equatable, Sendable {
  /// The delivery tag for its acknowledgement; ascending.
  var tag: UInt64
  /// `fleet/VAN-001/telemetry`; in AMQP the routing key: `fleet.VAN-001.telemetry`.
  var topic: String
  var payload: [UInt8]
  /// Whether the broker has delivered it before.
  var isRedelivered: Bool
  /// The length of a message that is too long, whose payload is not kept; otherwise `nil`.
  var oversize: Int?
}
