import Telemetry

/// A received record: its text, and the values by which the store finds it.
public struct IncomingRecord: Equatable, Sendable {
  /// The maximum length of a record in bytes, without its line feed.
  public static let maximumCount = 16_384
  /// Maximum length of an ECU's name, such as `7E8` or `18DAF110`, in bytes.
  static let maximumECUCount = 32

  public var kind: RecordKind
  /// The record's ID. The gateway creates it once; a record that is sent again has the same ID.
  public var id: UUIDv7
  /// The time of the record; `nil` if the gateway did not know the date. ``quality`` is then `unset`.
  public var time: Timestamp?
  /// The source of ``time``.
  public var quality: TimeQuality
  public var gatewayId: String
  public var vehicleId: String
  /// The epoch to which ``sequence`` belongs.
  public var epoch: UUIDv7
  /// The sequence number, which starts at 1 in each epoch of a gateway.
  public var sequence: UInt64
  /// The VIN, never empty; `nil` if the record has no valid VIN.
  public var vin: String?
  /// Whether the record has a valid `latitude` and `longitude`.
  public var hasPosition: Bool
  /// The ECU of a `dtc` or `monitors` record; `nil` for all other types.
  public var ecu: String?
  /// The record's JSON object, without white space before and after it.
  public var body: [UInt8]
  /// If the record comes from the archive of another store, the time at which that store received it; otherwise `nil`.
  public var receivedAt: Timestamp?

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
