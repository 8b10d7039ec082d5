import FleetDomain
import JSONText
import Telemetry

/// How long the store keeps what it has, as the configuration says:
///
///     "retention": { "days": { "telemetry": 400, "dtc": 3650 }, "changeHours": 24, "changes": 50000000, "startMinutes": 5 }
///
/// Records of types that `days` does not name are kept for ever. Changes are what live readers resume from.
struct Retention {
  /// How many days records of a class are kept after their time.
  var days: [RecordClass: Int] = [:]
  /// How long changes are kept, and how many of each tenant at most.
  var changeHours = 24
  var changes = 50_000_000

  /// From the start to the first look at old records: the clock may have to be set first.
  var startMinutes = 5

  /// Keeps everything but changes.
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

  /// Whether a clock may be right. Where nothing was stored for a day, a SQLite file cannot say that it is: what is old
  /// then stays until something comes.
  ///
  /// - Parameter witnessed: ``FleetDomain/FleetStorage/witnessedTime()``.
  static func isCredible(_ now: Timestamp, beside witnessed: Timestamp) -> Bool {
    let (ahead, overflow) = now.nanoseconds.subtractingReportingOverflow(witnessed.nanoseconds)
    return !overflow && ahead <= 86_400_000_000_000
  }

  /// The moment so many hours before another.
  static func moment(_ hours: Int, before now: Timestamp) -> Timestamp {
    Timestamp(nanoseconds: now.nanoseconds - Int64(hours) * 3_600_000_000_000)
  }
}
