import Telemetry

/// A stored record.
public struct StoredRecord: Equatable, Sendable {
  /// The ID of the record's vehicle. The record itself may contain the vehicle's VIN instead.
  public var vehicle: String
  public var recordClass: RecordClass
  public var id: UUIDv7
  /// Time of the record; `nil` if it has none. If ``isTimeAhead`` is true, this is the time of reception.
  public var time: Timestamp?
  public var quality: TimeQuality
  /// The time of reception; `nil` for records that an earlier version received.
  public var receivedAt: Timestamp?
  /// Whether the record's own time was more than a day later than the server's time at reception. Such a record is
  /// sorted by its time of reception, and never counts as the newest record.
  public var isTimeAhead: Bool
  /// The JSON object as it was first received, but with the best `timestamp` among all received copies of the record.
  public var body: [UInt8]
  /// The gateway that sent the record under the gateway's own ID, before it knew the vehicle; `nil` if the record
  /// itself names the vehicle. See ``Attribution``.
  public var attributedFrom: String?

  public init(
    vehicle: String, recordClass: RecordClass, id: UUIDv7, time: Timestamp?, quality: TimeQuality,
    receivedAt: Timestamp? = nil, isTimeAhead: Bool = false, body: [UInt8]
  ) {
    self.vehicle = vehicle
    self.recordClass = recordClass
    self.id = id
    self.time = time
    self.quality = quality
    self.receivedAt = receivedAt
    self.isTimeAhead = isTimeAhead
    self.body = body
  }
}

/// The newest records of a vehicle.
public struct LatestRecords: Equatable, Sendable {
  public var vehicle: Stored<Vehicle>
  /// The newest telemetry record; `nil` if there is none.
  public var telemetry: StoredRecord?
  /// The newest telemetry record with a position; `nil` if there is none.
  public var position: StoredRecord?
  /// The newest record of each other class, in the order of the class numbers. Classes without records are left out.
  /// For classes with ECUs (``RecordClass/hasECUs``): the newest record of each ECU, in the order of the ECUs' names.
  public var others: [StoredRecord]

  public init(vehicle: Stored<Vehicle>, telemetry: StoredRecord?, position: StoredRecord?, others: [StoredRecord]) {
    self.vehicle = vehicle
    self.telemetry = telemetry
    self.position = position
    self.others = others
  }
}
