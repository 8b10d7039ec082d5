import FleetDomain
import JSONText
import Telemetry

/// The retention settings of the configuration:
///
///     "retention": { "days": { "telemetry": 400, "dtc": 3650 }, "changeHours": 24, "changes": 50000000,
///                    "startMinutes": 5 }
///
/// Records of types that `days` does not name are never removed. Live readers that reconnect receive the changes since
/// their last position, if these are still stored.
struct Retention {
  /// For each class of records, the number of days for which a record is kept, counted from the record's time.
  var days: [RecordClass: Int] = [:]
  /// The time for which changes are kept, in hours.
  var changeHours = 24
  /// The maximum number of changes that are kept for each tenant.
  var changes = 50_000_000

  /// The minutes from the start of the server to the first removal. In this time, the system can set the clock.
  var startMinutes = 5

  /// Creates settings with which only changes are removed, and no records.
  init() {}

  init(_ reader: inout JSONObjectReader) throws(JSONError) {
    if var object = try reader.optionalObject("days") {
      for recordClass in RecordClass.allCases {
        days[recordClass] = try object.optionalInt(recordClass.name, in: 1...36_500)
      }
      try object.finish()
    }
    changeHours = try reader.optionalInt("changeHours", in: 1...8_760) ?? changeHours
    changes = try reader.optionalInt("changes", in: 1...1_000_000_000_000) ?? changes
    startMinutes = try reader.optionalInt("startMinutes", in: 0...1_440) ?? startMinutes
  }

  /// Whether the clock may be right. The result is `false` if the clock is more than a day ahead of the reference time.
  /// With a SQLite file, the result is also `false` for a right clock if nothing was stored for more than a day. Old
  /// records then stay until something is stored.
  ///
  /// - Parameter witnessed: ``FleetDomain/FleetStorage/referenceTime()``.
  static func isCredible(_ now: Timestamp, beside witnessed: Timestamp) -> Bool {
    let (ahead, overflow) = now.nanoseconds.subtractingReportingOverflow(witnessed.nanoseconds)
    return !overflow && ahead <= 86_400_000_000_000
  }

  /// Returns the time that is `hours` before `now`.
  static func moment(_ hours: Int, before now: Timestamp) -> Timestamp {
    Timestamp(nanoseconds: now.nanoseconds - Int64(hours) * 3_600_000_000_000)
  }
}
