/// The date of the epochs that name none, as long as it must be the same day.
///
/// A receiver at 10 Hz may send RMC or ZDA once a second, and GGA, which has no date, ten times.
struct CarriedDate: BitwiseCopyable {
  private var date: CalendarDate?
  private var second = 0

  private static var halfDay: Int { 43_200 }

  /// The date of an epoch that names `named`, or none.
  ///
  /// A time of day that leaps by half a day or more has passed midnight, forwards or backwards: the date is forgotten then,
  /// not guessed, until a sentence names the new one. An epoch without a time does not have the day of another.
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
