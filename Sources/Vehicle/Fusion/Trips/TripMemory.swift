import Telemetry

/// The state of a trip that the caller stores, so that the trip can continue after a restart or a power cut. It is
/// small, because it is stored every few seconds and after every change.
///
/// The state contains the time at which it was made, the boot ID and, if known, the date. From these, the next session
/// determines how long the interruption was.
public struct TripMemory: Equatable, Sendable {
  /// ID of the trip, which all of its records contain. It stays the same if a record is repeated after a power cut.
  public var tripId: UUIDv7
  /// The vehicle's ID in the records of the trip.
  public var vehicleId: String
  /// The vehicle's VIN; `nil` if unknown. If the VIN differs after the restart, the trip is not continued.
  public var vin: String?
  /// The caller's name for the adapter to which the trip belongs; empty if there is only one adapter.
  public var adapter = ""
  /// Boot ID of the system when the state was made.
  public var bootId: String
  /// Time at which the state was made, ns since boot.
  public var time: Int64
  /// Date at which the state was made; `nil` if unknown.
  public var date: Timestamp?
  /// Source of ``date``.
  public var quality: TimeQuality

  /// The trip. Its times are of the same clock as ``time``.
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

  /// Returns the trip with its times converted to this session's clock. Returns `nil` if the age of the stored state is
  /// not known yet, or will never be known.
  ///
  /// - Parameters:
  ///   - bootId: boot ID of this session.
  ///   - offset: time from 1970 to time 0 of this session's clock, ns.
  ///   - quality: source of `offset`. Only GPS and NTP are trusted: without a clock battery, the system clock continues
  ///     after a power cut as if no time had passed meanwhile.
  func trip(bootId: String, offset: Int64, quality: TimeQuality) -> Trip? {
    if bootId == self.bootId { return trip }
    guard Self.isTrusted(quality), isDateTrusted, let date else { return nil }
    // The difference moves ``time`` to the same moment on the new clock.
    return trip.shifted(by: date.nanoseconds - offset - time)
  }

  /// Whether the stored date is accurate enough to determine how long the power was off.
  var isDateTrusted: Bool { date != nil && Self.isTrusted(quality) }

  private static func isTrusted(_ quality: TimeQuality) -> Bool { quality == .gps || quality == .ntp }

  /// Converts a time of ``trip`` to a date; `nil` if unknown.
  func date(of time: Int64) -> Timestamp? {
    date.map { Timestamp(nanoseconds: $0.nanoseconds - (self.time - time)) }
  }
}

extension Trip {
  /// Returns the trip with `difference` ns added to all its times.
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
