/// The type of a record, which is the value of its first key.
public enum RecordType: UInt8, CaseIterable, Sendable {
  case telemetry, vehicle, dtc, monitors, geofence, trip, driving, adapter, gap

  /// Name of the type in records.
  public var name: StaticString {
    switch self {
    case .telemetry: "telemetry"
    case .vehicle: "vehicle"
    case .dtc: "dtc"
    case .monitors: "monitors"
    case .geofence: "geofence"
    case .trip: "trip"
    case .driving: "driving"
    case .adapter: "adapter"
    case .gap: "gap"
    }
  }
}

/// Where a record's time comes from.
public enum TimeQuality: UInt8, CaseIterable, Sendable {
  case gps, ntp, system, unset

  /// Name of the source in records.
  public var name: StaticString {
    switch self {
    case .gps: "gps"
    case .ntp: "ntp"
    case .system: "system"
    case .unset: "unset"
    }
  }
}

/// The time of a record: a timestamp or, if the date is unknown, nanoseconds of a monotonic clock.
public enum RecordTime: Equatable, Sendable {
  case wall(Timestamp, TimeQuality)
  case elapsed(nanoseconds: Int64)

  /// The milliseconds that are part of the record's identifier: since 1970 or, if the date is unknown, of the monotonic
  /// clock.
  public var milliseconds: UInt64 {
    switch self {
    case .wall(let timestamp, _): UInt64(max(timestamp.milliseconds, 0))
    case .elapsed(let nanoseconds): UInt64(max(nanoseconds, 0) / 1_000_000)
    }
  }

  /// Writes the keys `timestamp` or `elapsed`, and `timeQuality`.
  public func write(to line: inout JSONLineEncoder) {
    switch self {
    case .wall(let timestamp, let quality):
      line.field("timestamp", timestamp)
      line.field("timeQuality", quality.name)
    case .elapsed(let nanoseconds):
      line.field("elapsed", Double(nanoseconds) / 1e9)
      line.field("timeQuality", TimeQuality.unset.name)
    }
  }
}

/// The keys at the beginning of every record, in this order:
///
///     "type","id","timestamp" (or "elapsed"),"timeQuality","gatewayId","vehicleId","epoch","seq"
public struct RecordHead: Sendable {
  /// Type of the record.
  public var type: RecordType
  /// Identifier of the record. It remains the same if the record is sent again.
  public var id: UUIDv7
  /// Time of the record.
  public var time: RecordTime
  /// Identifier of the gateway that made the record.
  public var gatewayId: String
  /// Identifier of the vehicle.
  public var vehicleId: String
  /// Identifier of the gateway's current series of sequence numbers.
  public var epoch: UUIDv7
  /// Sequence number of the record, counted from 1 in each epoch of the gateway.
  public var sequence: UInt64
  /// The adapter that is the source of the record; `nil` if the gateway has only one.
  public var device: String?

  /// Creates a head without the key ``device``.
  public init(
    type: RecordType, id: UUIDv7, time: RecordTime, gatewayId: String, vehicleId: String, epoch: UUIDv7,
    sequence: UInt64
  ) {
    self.type = type
    self.id = id
    self.time = time
    self.gatewayId = gatewayId
    self.vehicleId = vehicleId
    self.epoch = epoch
    self.sequence = sequence
  }

  /// Writes the keys and values into the outermost object.
  public func write(to line: inout JSONLineEncoder) {
    line.field("type", type.name)
    line.field("id", id)
    time.write(to: &line)
    line.field("gatewayId", gatewayId)
    line.field("vehicleId", vehicleId)
    line.field("epoch", epoch)
    line.field("seq", sequence)
    if let device { line.field("device", device) }
  }
}
