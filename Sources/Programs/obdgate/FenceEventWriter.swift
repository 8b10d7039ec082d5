import Fusion
import Geofencing
import JSONText
import NMEAWire
import Telemetry

/// Writes each geofence event as one JSON line.
struct FenceEventWriter: ~Copyable, FenceHandler {
  var output = OutputStream()
  /// Whether the times of the events have a date; `false` if they are only times of day.
  var isDated = true
  /// ID of the vehicle to which the events belong; `nil` if the fixes contain no ID.
  var vehicleId: String?
  /// The error that ended the output; `nil` if there was none.
  private(set) var stop: (any Error)?
  private let set: FenceSet
  private var encoder = JSONLineEncoder(capacity: 4096)

  init(_ set: FenceSet) { self.set = set }

  mutating func fenceEvent(_ event: FenceEvent) {
    guard stop == nil else { return }
    let fence = set.fences[event.fence]
    let body = GeofenceRecord(
      fenceId: fence.id, fenceName: fence.name, event: GeofenceRecord.Event(event.kind),
      latitude: event.position.latitude,
      longitude: event.position.longitude)
    encoder.begin()
    encoder.field("type", GeofenceRecord.type.name)
    let time = Timestamp(nanoseconds: event.time)
    if isDated {
      encoder.field("timestamp", time)
    } else {
      // The date is unknown. Write only the time of day, without the date and the `T` before it.
      encoder.key("timeOfDay")
      _ = encoder.value(time.text.span.extracting(11..<24))
    }
    if let vehicleId { encoder.field("vehicleId", vehicleId) }
    body.write(to: &encoder)
    encoder.finish()
    do { try output.write(encoder) } catch { stop = error }
  }
}

/// Converts the times of fixes to one continuous time, which continues to increase at midnight.
///
/// If the date is unknown, days are counted from the first fix. A time of day that is more than half a day earlier than
/// the previous one belongs to the next day.
struct FixClock {
  /// Whether the date of the last fix is known.
  private(set) var isDated = true
  private var day: Int64 = 0
  private var last: Int64 = 0

  private static var dayLength: Int64 { 86_400_000_000_000 }

  /// Returns the time of a fix, ns; `nil` if the receiver does not know the time.
  mutating func time(of fix: Fix) -> Int64? {
    guard let time = fix.time else { return nil }
    guard let date = fix.date else {
      return undated(Int64(time.secondOfDay) * 1_000_000_000 + Int64(time.nanosecond))
    }
    isDated = true
    return Timestamp(
      year: date.year, month: date.month, day: date.day, hour: time.hour, minute: time.minute, second: time.second,
      nanosecond: time.nanosecond)?.nanoseconds
  }

  /// Returns the time of a fix or record in JSON, ns; `nil` if it has neither `timestamp` nor `timeOfDay`.
  mutating func time(of line: JSONValue) throws(JSONError) -> Int64? {
    if let value = line["timestamp"] {
      let moment = try Self.moment(value, value.requireString())
      isDated = true
      return moment
    }
    guard let value = line["timeOfDay"] else { return nil }
    return undated(try Self.moment(value, "1970-01-01T" + value.requireString()))
  }

  private mutating func undated(_ time: Int64) -> Int64 {
    isDated = false
    if time < last - Self.dayLength / 2 { day += Self.dayLength }
    last = time
    return day + time
  }

  private static func moment(_ value: JSONValue, _ text: String) throws(JSONError) -> Int64 {
    do throws(Timestamp.ParsingError) {
      return try Timestamp(parsing: text.utf8.span).nanoseconds
    } catch {
      throw value.invalid(expected: "a time such as 2026-05-04T10:00:00.000Z")
    }
  }
}
