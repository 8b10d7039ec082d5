import FleetDomain
import FleetWork

/// The rules by which a service is due.
public struct ServicePlan: Equatable, Sendable {
  /// A day, and what the instruments of a vehicle have then counted; `nil` if unknown.
  public struct Point: Equatable, Sendable {
    public var date: CalendarDate?
    /// Of all odometers together.
    public var kilometers: Double?
    /// Of all hour meters together.
    public var engineHours: Double?

    public init(date: CalendarDate? = nil, kilometers: Double? = nil, engineHours: Double? = nil) {
      (self.date, self.kilometers, self.engineHours) = (date, kilometers, engineHours)
    }
  }

  public let every: ServiceSchedule.Interval
  public let basis: ServiceSchedule.Basis
  public let dueSoon: ServiceSchedule.Margin

  public init(_ schedule: ServiceSchedule) {
    (every, basis, dueSoon) = (schedule.every, schedule.basis, schedule.dueSoon)
  }

  /// When the first service after a last one is due.
  public func due(after last: Point) -> Point {
    var due = Point()
    if let date = last.date { due.date = next(date) }
    if let kilometers = last.kilometers { due.kilometers = every.kilometers.map { kilometers + $0 } }
    if let hours = last.engineHours { due.engineHours = every.engineHours.map { hours + $0 } }
    return due
  }

  /// When the service after one that was done is due.
  ///
  /// - Parameter due: when the service was due.
  public func due(after done: Point, due: Point) -> Point {
    let fresh = self.due(after: done)
    guard basis == .fixed else { return fresh }
    var next = fresh
    // Services that were missed are not made up for.
    if let start = due.date, let done = done.date, var date = self.next(start) {
      while date <= done, let later = self.next(date), later > date { date = later }
      next.date = date
    }
    func following(_ due: Double?, _ done: Double?, _ step: Double?) -> Double? {
      guard let due, let done, let step else { return nil }
      return due + step * (max((done - due) / step, 0).rounded(.down) + 1)
    }
    next.kilometers = following(due.kilometers, done.kilometers, every.kilometers) ?? fresh.kilometers
    next.engineHours = following(due.engineHours, done.engineHours, every.engineHours) ?? fresh.engineHours
    return next
  }

  private func next(_ date: CalendarDate) -> CalendarDate? {
    [every.days.map { date.adding(days: Int($0)) }, every.months.map { date.adding(months: Int($0)) }]
      .compactMap { $0 }.min()
  }

  /// The state at a point.
  ///
  /// - Parameter snoozedUntil: the first day on which the service is no longer snoozed.
  public func state(_ due: Point, at now: Point, snoozedUntil: CalendarDate? = nil) -> ServiceSchedule.State {
    let state: ServiceSchedule.State =
      if isReached(due, at: now, early: nil) {
        .overdue
      } else if isReached(due, at: now, early: dueSoon) {
        .dueSoon
      } else {
        .ok
      }
    guard state != .ok, let snoozedUntil, let today = now.date, today < snoozedUntil else { return state }
    return .snoozed
  }

  /// - Parameter early: the margin before it is due; `nil` for none. A service is due on its date, and overdue after it.
  private func isReached(_ due: Point, at now: Point, early: ServiceSchedule.Margin?) -> Bool {
    if let date = due.date, let today = now.date,
      early.map({ today >= date.adding(days: -Int($0.days)) }) ?? (today > date)
    {
      return true
    }
    if let due = due.kilometers, let now = now.kilometers, now >= due - (early?.kilometers ?? 0) { return true }
    if let due = due.engineHours, let now = now.engineHours, now >= due - (early?.engineHours ?? 0) { return true }
    return false
  }

  /// The next day on which the state can change without a reading; `nil` if there is none.
  public func checkDate(_ due: Point, after today: CalendarDate, snoozedUntil: CalendarDate?) -> CalendarDate? {
    [due.date.map { $0.adding(days: -Int(dueSoon.days)) }, due.date.map { $0.adding(days: 1) }, snoozedUntil]
      .compactMap { $0 }.filter { $0 > today }.min()
  }

  /// The day on which the service is expected to be due; `nil` if unknown.
  ///
  /// - Parameter daily: the mean distance and hours of a day.
  public static func forecast(
    _ due: Point, at now: Point, daily: (kilometers: Double?, engineHours: Double?)
  ) -> CalendarDate? {
    guard let today = now.date else { return due.date }
    func reached(_ due: Double?, _ now: Double?, _ daily: Double?) -> CalendarDate? {
      guard let due, let now else { return nil }
      if now >= due { return today }
      guard let daily, daily > 0 else { return nil }
      // Farther in the future than any date.
      let days = min(((due - now) / daily).rounded(.up), 3_000_000)
      return today.adding(days: Int(days))
    }
    return [
      due.date, reached(due.kilometers, now.kilometers, daily.kilometers),
      reached(due.engineHours, now.engineHours, daily.engineHours),
    ].compactMap { $0 }.min()
  }
}
