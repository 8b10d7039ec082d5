import Telemetry

/// A trip that is under way, as a plain value that its owner keeps over a restart or a power cut: a small file, written
/// every few seconds and at every change.
///
/// Its times are counted back from the moment of writing, and that moment is told by the boot and by the date, as far as
/// they are known. So the next session, whatever its clock, can tell how long the power was off.
public struct TripMemory: Equatable, Sendable {
  /// In its records, those that were made included: one that is made anew after a power cut is the same.
  public var tripId: UUIDv7
  /// `vehicleId` of its records.
  public var vehicleId: String
  /// The vehicle, where it said its VIN: another one's trip is not gone on with.
  public var vin: String?
  /// Which of the owner's adapters it came by; empty: there is only one.
  public var adapter = ""
  /// Which boot ``time`` counts from.
  public var bootId: String
  /// When it was written, ns of that boot.
  public var time: Int64
  /// The date of that moment, and where it was known from.
  public var date: Timestamp?
  public var quality: TimeQuality

  /// Its times are on the clock of ``time``.
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

  /// The trip on the clock of this boot; nil: how long ago it was written is not known, or not yet.
  ///
  /// - Parameters:
  ///   - bootId: this boot.
  ///   - offset: ns from 1970 to this clock's 0.
  ///   - quality: where that is known from. Only GPS and NTP are believed: the clock of a box without a battery goes on
  ///     where it stopped.
  func trip(bootId: String, offset: Int64, quality: TimeQuality) -> Trip? {
    if bootId == self.bootId { return trip }
    guard Self.isTrusted(quality), isDateTrusted, let date else { return nil }
    // The moment of writing on the new clock.
    return trip.shifted(by: date.nanoseconds - offset - time)
  }

  /// Whether its date is good enough to tell how long the power was off.
  var isDateTrusted: Bool { date != nil && Self.isTrusted(quality) }

  private static func isTrusted(_ quality: TimeQuality) -> Bool { quality == .gps || quality == .ntp }

  /// A time of ``trip`` as a date; nil where none was known.
  func date(of time: Int64) -> Timestamp? {
    date.map { Timestamp(nanoseconds: $0.nanoseconds - (self.time - time)) }
  }
}

extension Trip {
  /// The same on a clock that shows so many ns more.
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
