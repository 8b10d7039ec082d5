import FleetDomain
import Telemetry

extension Timestamp {
  private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The time in the format of HTTP headers, for example `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
  ///
  /// The time must not be before 1970.
  var httpDate: String {
    let date = CalendarDate(utc: self)
    let second = Int(milliseconds / 1_000) % 86_400
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return """
      \(Self.weekdays[date.dayNumber % 7]), \(two(date.day)) \(Self.months[date.month - 1]) \(date.year) \
      \(two(second / 3_600)):\(two(second / 60 % 60)):\(two(second % 60)) GMT
      """
  }
}
