import FleetDomain
import Telemetry

extension Call {
  /// Returns the time range in the query, in which days may be used instead of times. A day as `from` stands for its
  /// start, and a day as `to` for its end.
  ///
  /// - Parameter zone: the time zone in which the days begin.
  /// - Returns: the beginning `from`, and the end `to`, which is not part of the range.
  /// - Throws: 400 if a value is neither a day nor a time, or if the beginning is after the end.
  func timesOrDays(in zone: ZoneRules) throws(APIError) -> (from: Timestamp?, to: Timestamp?) {
    func day(_ name: String) -> CalendarDate? { query[name].flatMap { CalendarDate($0) } }
    func start(of date: CalendarDate) -> Timestamp { Timestamp(nanoseconds: zone.start(of: date) * 1_000_000) }
    var (from, to) = (Timestamp?.none, Timestamp?.none)
    if let first = day("from") { from = start(of: first) } else { from = try time("from") }
    if let last = day("to") { to = start(of: last.next) } else { to = try time("to") }
    if let from, let to, from > to {
      throw .badRequest("query: from: expected a time not after to, found \(quoted(query["from"] ?? ""))")
    }
    return (from, to)
  }
}
