import Telemetry

/// The stored state of a trip, which the caller keeps across a restart or a power cut. It is small, and is written
/// every few seconds and after every change.
///
/// The times of the trip are relative to the time of writing. The time of writing is stored with its boot ID and, if
/// known, its date, so that the next session can determine the length of the interruption.
public struct TripMemory: Equatable, Sendable {
  /// ID of the trip, the same in all its records, even if a record is repeated after a power cut.
  public var tripId: UUIDv7
  /// Vehicle ID in its records.
  public var vehicleId: String
  /// VIN of the vehicle; `nil` if unknown. A trip of another vehicle is not continued.
  public var vin: String?
  /// The adapter it belongs to, as named by the caller; empty if there is only one.
  public var adapter = ""
  /// Boot ID of the clock of ``time``.
  public var bootId: String
  /// Time of writing, ns.
  public var time: Int64
  /// Date of writing; `nil` if unknown.
  public var date: Timestamp?
  /// Quality of `date`.
  public var quality: TimeQuality

  /// The trip; its times are on the same clock as ``time``.
  var trip: Trip

  init(
    _ trip: Trip, tripId: UUIDv7, vehicleId: String, vin: String?, bootId: String, time: Int64, date: Timestamp?,
    quality: TimeQuality
  ) {
    self.trip = trip
    self.tripId = tripId
    self.vehicleId = vehicleId
    self.vin = vin
    self.bootId = bootId
    self.time = time
    self.date = date
    self.quality = quality
  }

  /// Returns the trip with its times converted to this session's clock. `nil` if the age of the stored state is
  /// unknown, now or for ever.
  ///
  /// - Parameters:
  ///   - bootId: boot ID of this session.
  ///   - offset: ns from 1970 to this clock's 0.
  ///   - quality: source of `offset`. Only GPS and NTP are trusted, because the clock of a system without a clock
  /// battery continues where it stopped.
  func trip(bootId: String, offset: Int64, quality: TimeQuality) -> Trip? {
    if bootId == self.bootId { return trip }
    guard Self.isTrusted(quality), isDateTrusted, let date else { return nil }
    // Time of writing on the new clock.
    return trip.shifted(by: date.nanoseconds - offset - time)
  }

  /// Whether its date is accurate enough to determine how long the power was off.
  var isDateTrusted: Bool { date != nil && Self.isTrusted(quality) }

  private static func isTrusted(_ quality: TimeQuality) -> Bool { quality == .gps || quality == .ntp }

  /// Converts a time of ``trip`` to a date; `nil` if unknown.
  func date(of time: Int64) -> Timestamp? {
    date.map { Timestamp(nanoseconds: $0.nanoseconds - (self.time - time)) }
  }
}

extension Trip {
  /// Converts the times to a clock that is ahead by `difference` ns.
  func shifted(by difference: Int64) -> Trip {
    var trip = self
    trip.start += difference
    trip.end += difference
    trip.lastMotion += difference
    trip.lastHint += difference
    trip.idleCounted += difference
    return trip
  }
}
