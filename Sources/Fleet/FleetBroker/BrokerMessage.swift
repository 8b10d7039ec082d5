/// What a broker has handed over, as it came.
struct BrokerMessage: Equatable, Sendable {
  /// By which it is acknowledged; ascending.
  var tag: UInt64
  /// `fleet/VAN-001/telemetry`; of AMQP the routing key: `fleet.VAN-001.telemetry`.
  var topic: String
  var payload: [UInt8]
  /// The broker has handed it over before.
  var isRedelivered: Bool
  /// Where it was too long to be kept: its bytes.
  var oversize: Int?
}
