import Telemetry

/// A record as it is kept.
public struct StoredRecord: Equatable, Sendable {
  /// Id of the vehicle it belongs to. The record itself may name it by its VIN.
  public var vehicle: String
  public var recordClass: RecordClass
  public var id: UUIDv7
  /// Nil while nobody has said what date it was. Where ``isTimeAhead``, when it was received.
  public var time: Timestamp?
  public var quality: TimeQuality
  /// When the server received it; `nil` for records that an earlier version received.
  public var receivedAt: Timestamp?
  /// Whether its own time was more than a day ahead of the server's when it was received. Such a record is ordered by the
  /// time of its reception, and is never the newest of anything.
  public var isTimeAhead: Bool
  /// The JSON object as it first came, with the best time that any copy had.
  public var body: [UInt8]

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

/// The newest that is known of a vehicle.
public struct LatestRecords: Equatable, Sendable {
  public var vehicle: Vehicle
  /// The newest telemetry record.
  public var telemetry: StoredRecord?
  /// The newest telemetry record with a position; often the same.
  public var position: StoredRecord?
  /// The newest of each other class, in the order of their numbers; classes without a record are absent. Of classes that
  /// ECUs have (``RecordClass/hasECUs``), the newest of each ECU, in the order of their names.
  public var others: [StoredRecord]

  public init(vehicle: Vehicle, telemetry: StoredRecord?, position: StoredRecord?, others: [StoredRecord]) {
    self.vehicle = vehicle
    self.telemetry = telemetry
    self.position = position
    self.others = others
  }
}
