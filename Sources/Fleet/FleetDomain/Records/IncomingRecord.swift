import Telemetry

/// A record as it came in: what its place among the others follows from, and its bytes as they were.
public struct IncomingRecord: Equatable, Sendable {
  /// Bytes that a record may have, its line feed not counted.
  public static let maximumCount = 16_384
  /// Bytes of an ECU's name: `7E8`, `18DAF110`.
  static let maximumECUCount = 32

  public var kind: RecordKind
  /// Made once by the gateway: a resend has the same.
  public var id: UUIDv7
  /// Nil only while the date was not known: ``quality`` is then `unset`.
  public var time: Timestamp?
  /// Where ``time`` comes from.
  public var quality: TimeQuality
  public var gatewayId: String
  public var vehicleId: String
  /// In which ``sequence`` counts.
  public var epoch: UUIDv7
  /// From 1 in each gateway and epoch.
  public var sequence: UInt64
  /// Where the record says it; never empty.
  public var vin: String?
  /// Whether it has `latitude` and `longitude`, and they are of a place on earth.
  public var hasPosition: Bool
  /// The ECU that a `dtc` or `monitors` record is of; `nil` for every other type.
  public var ecu: String?
  /// The JSON object, without what stood around it.
  public var body: [UInt8]

  public init(
    kind: RecordKind, id: UUIDv7, time: Timestamp?, quality: TimeQuality, gatewayId: String, vehicleId: String,
    epoch: UUIDv7, sequence: UInt64, vin: String?, hasPosition: Bool, ecu: String? = nil, body: [UInt8]
  ) {
    self.kind = kind
    self.id = id
    self.time = time
    self.quality = quality
    self.gatewayId = gatewayId
    self.vehicleId = vehicleId
    self.epoch = epoch
    self.sequence = sequence
    self.vin = vin
    self.hasPosition = hasPosition
    self.ecu = ecu
    self.body = body
  }
}
