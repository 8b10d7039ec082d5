/// Stores the last known date, for epochs whose sentences contain no date. The date is used only until the day may have
/// changed.
///
/// A receiver at 10 Hz may send RMC or ZDA once a second, and GGA, which has no date, ten times.
struct CarriedDate: BitwiseCopyable {
  private var date: CalendarDate?
  private var second = 0

  private static var halfDay: Int { 43_200 }

  /// Returns the date of an epoch.
  ///
  /// If the time of day changes by half a day or more, in either direction, midnight has passed. The last known date is
  /// then dropped until a sentence contains a date. For an epoch without a time of day, the last known date is not
  /// returned.
  ///
  /// - Parameters:
  ///   - named: the date in the epoch's sentences; `nil` if they contain none.
  ///   - time: the epoch's time of day; `nil` if unknown.
  /// - Returns: `nil` if the date is unknown.
  mutating func date(_ named: CalendarDate?, at time: TimeOfDay?) -> CalendarDate? {
    guard let time else { return named }
    let leap = abs(time.secondOfDay - second)
    second = time.secondOfDay
    if let named {
      date = named
    } else if leap >= Self.halfDay {
      date = nil
    }
    return date
  }
}
