/// A message as the broker delivered it.
struct ConsumedMessage: Equatable, Sendable {
  /// The number that the broker has given to this delivery. An acknowledgement contains this number. Later deliveries
  /// have higher numbers.
  var tag: UInt64
  /// The topic, for example `fleet/VAN-001/telemetry`; in AMQP the routing key `fleet.VAN-001.telemetry`.
  var topic: String
  var payload: [UInt8]
  /// Whether the broker has delivered the message before.
  var isRedelivered: Bool
  /// The length of a message that exceeds the limit, bytes; its payload is then empty. `nil` for all other messages.
  var oversize: Int?
}
