import FleetDomain
import Telemetry

extension Call {
  /// Returns the time range that the query parameters `from` and `to` select. Each of them is a time or a day. A day as
  /// `from` stands for its start, and a day as `to` for its end.
  ///
  /// - Parameter zone: the time zone in which the days begin.
  /// - Returns: the beginning `from`, and the end `to`, which is not part of the range.
  /// - Throws: 400 if a value is neither a day nor a time, or if the beginning is after the end.
  func timesOrDays(in zone: ZoneRules) throws(APIError) -> (from: Timestamp?, to: Timestamp?) {
    func day(_ name: String) throws(APIError) -> CalendarDate? {
      guard let day = query[name].flatMap({ CalendarDate($0) }) else { return nil }
      guard day.canBeStated else {
        throw .badRequest("query: \(name): expected a day from 1679 to 2261, found \(quoted(query[name] ?? ""))")
      }
      return day
    }
    func start(of date: CalendarDate) -> Timestamp { Timestamp(limiting: zone.start(of: date)) }
    var (from, to) = (Timestamp?.none, Timestamp?.none)
    if let first = try day("from") { from = start(of: first) } else { from = try time("from") }
    let last = try day("to")
    if let last { to = start(of: last.next) } else { to = try time("to") }
    // If `to` is a day, the range ends at the start of the next day, and `from` must be before this time.
    if let from, let to, last == nil ? from > to : from >= to {
      throw .badRequest(
        "query: to: expected a time that is not before from, \(quoted(query["from"] ?? "")), found \(quoted(query["to"] ?? ""))"
      )
    }
    return (from, to)
  }

  /// Returns the time range that the query parameters `from` and `to` select; each of them is a time or a day
  /// (``timesOrDays(in:)``).
  ///
  /// - Parameter name: the vehicle in whose time zone days begin; `nil` for the time zone of the tenant.
  func timesOrDays(
    _ storage: any FleetStorage, ofVehicle name: String?
  ) async throws -> (from: Timestamp?, to: Timestamp?) {
    guard ["from", "to"].contains(where: { query[$0].flatMap { CalendarDate($0) } != nil }) else {
      return try timesOrDays(in: .utc)
    }
    let zone = try await storage.view(tenant: try tenant) { view throws(ThingError) in
      try view.zone(ofVehicle: name)
    }
    return try timesOrDays(in: zone)
  }
}
