/// What a record is about; the first key of every record.
public enum RecordType: UInt8, CaseIterable, Sendable {
  case telemetry, vehicle, dtc, monitors, geofence, trip, driving, adapter, gap

  /// As records print it.
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

/// Where the time of a record comes from.
public enum TimeQuality: UInt8, CaseIterable, Sendable {
  case gps, ntp, system, unset

  /// As records print it.
  public var name: StaticString {
    switch self {
    case .gps: "gps"
    case .ntp: "ntp"
    case .system: "system"
    case .unset: "unset"
    }
  }
}

/// When something happened: a moment, or, while the date is not known, nanoseconds of a count that only goes up.
public enum RecordTime: Equatable, Sendable {
  case wall(Timestamp, TimeQuality)
  case elapsed(nanoseconds: Int64)

  /// The milliseconds that a record's id is made of.
  public var milliseconds: UInt64 {
    switch self {
    case .wall(let timestamp, _): UInt64(max(timestamp.milliseconds, 0))
    case .elapsed(let nanoseconds): UInt64(max(nanoseconds, 0) / 1_000_000)
    }
  }

  /// Writes the keys that say it: `timestamp` or `elapsed`, and `timeQuality`.
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

/// The keys that every record begins with, always in this order:
///
///     "type","id","timestamp" (or "elapsed"),"timeQuality","gatewayId","vehicleId","epoch","seq"
public struct RecordHead: Sendable {
  /// What the record is about.
  public var type: RecordType
  /// Made once, never changed.
  public var id: UUIDv7
  /// When it was.
  public var time: RecordTime
  /// Who made the record.
  public var gatewayId: String
  /// Which vehicle it is about.
  public var vehicleId: String
  /// New whenever `sequence` starts again.
  public var epoch: UUIDv7
  /// Counts from 1 in each gateway and epoch.
  public var sequence: UInt64

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

  /// Writes the keys into the line's outermost object.
  public func write(to line: inout JSONLineEncoder) {
    line.field("type", type.name)
    line.field("id", id)
    time.write(to: &line)
    line.field("gatewayId", gatewayId)
    line.field("vehicleId", vehicleId)
    line.field("epoch", epoch)
    line.field("seq", sequence)
  }
}
