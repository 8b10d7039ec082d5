import FleetDomain
import FleetWork

/// Computes when a service is due, and its state, from the fields of a schedule.
public struct ServicePlan: Equatable, Sendable {
  /// A day, and the totals of a vehicle's odometers and hour meters on that day. A value is `nil` if it is unknown.
  public struct Point: Equatable, Sendable {
    public var date: CalendarDate?
    /// The day of the month on which services are wanted, if the month of ``date`` is too short for it; otherwise
    /// `nil`. For example, a monthly service that is wanted on each 31st is due on 28 February, and then on 31 March.
    public var monthDay: Int?
    /// The distance that all odometers of the vehicle have counted, km; `nil` if unknown or not used.
    public var kilometers: Double?
    /// The time that all hour meters of the vehicle have counted, h; `nil` if unknown or not used.
    public var engineHours: Double?

    public init(
      date: CalendarDate? = nil, monthDay: Int? = nil, kilometers: Double? = nil, engineHours: Double? = nil
    ) {
      (self.date, self.monthDay, self.kilometers, self.engineHours) = (date, monthDay, kilometers, engineHours)
    }
  }

  public let every: ServiceSchedule.Interval
  public let basis: ServiceSchedule.Basis
  public let dueSoon: ServiceSchedule.Margin

  public init(_ schedule: ServiceSchedule) {
    (every, basis, dueSoon) = (schedule.every, schedule.basis, schedule.dueSoon)
  }

  /// Returns the date and readings at which the next service is due: one interval after `last`.
  public func due(after last: Point) -> Point {
    var due = Point()
    if let date = last.date, let step = next(date, monthDay: nil) {
      due.date = step.date
      due.monthDay = step.monthDay
    }
    if let kilometers = last.kilometers { due.kilometers = every.kilometers.map { kilometers + $0 } }
    if let hours = last.engineHours { due.engineHours = every.engineHours.map { hours + $0 } }
    return due
  }

  /// Returns the date and readings at which the next service is due after a completed service, depending on ``basis``.
  ///
  /// - Parameter due: the date and readings at which the completed service was due.
  public func due(after done: Point, due: Point) -> Point {
    let fresh = self.due(after: done)
    guard basis == .fixed else { return fresh }
    var next = fresh
    // Due dates that have passed already are skipped.
    if let start = due.date, let done = done.date, var step = self.next(start, monthDay: due.monthDay) {
      while step.date <= done, let later = self.next(step.date, monthDay: step.monthDay), later.date > step.date {
        step = later
      }
      next.date = step.date
      next.monthDay = step.monthDay
    }
    func following(_ due: Double?, _ done: Double?, _ step: Double?) -> Double? {
      guard let due, let done, let step else { return nil }
      return due + step * (max((done - due) / step, 0).rounded(.down) + 1)
    }
    next.kilometers = following(due.kilometers, done.kilometers, every.kilometers) ?? fresh.kilometers
    next.engineHours = following(due.engineHours, done.engineHours, every.engineHours) ?? fresh.engineHours
    return next
  }

  /// Returns the date one interval later.
  ///
  /// - Parameter monthDay: the wanted day of the month (``Point/monthDay``); `nil` for the day of `date`.
  private func next(_ date: CalendarDate, monthDay: Int?) -> (date: CalendarDate, monthDay: Int?)? {
    let afterDays = every.days.map { date.adding(days: Int($0)) }
    guard let months = every.months else { return afterDays.map { ($0, nil) } }
    let month = date.adding(months: Int(months))
    let wanted = monthDay ?? date.day
    let day = min(wanted, CalendarDate.days(in: month.month, of: month.year))
    let afterMonths = CalendarDate(year: month.year, month: month.month, day: day) ?? month
    if let afterDays, afterDays < afterMonths { return (afterDays, nil) }
    return (afterMonths, day < wanted ? wanted : nil)
  }

  /// Returns the state of a service.
  ///
  /// - Parameters:
  ///   - due: the date and readings at which the service is due.
  ///   - now: the current date and readings.
  ///   - snoozedUntil: the first day on which the service is no longer snoozed.
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

  /// Whether a service is overdue or, if `early` is given, due soon. A service is overdue from the day after its due
  /// date on.
  ///
  /// - Parameter early: the margin before the service is due; `nil` for none.
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

  /// Returns the next day on which the state can change without a meter reading; `nil` if there is none.
  public func checkDate(_ due: Point, after today: CalendarDate, snoozedUntil: CalendarDate?) -> CalendarDate? {
    [due.date.map { $0.adding(days: -Int(dueSoon.days)) }, due.date.map { $0.adding(days: 1) }, snoozedUntil]
      .compactMap { $0 }.filter { $0 > today }.min()
  }

  /// Returns the day on which the service is expected to be due; `nil` if unknown. The forecast assumes the average
  /// daily use since the last readings. If the service would then be due already, returns today.
  ///
  /// - Parameters:
  ///   - now: today, and the last readings.
  ///   - readOn: the days of these readings; `nil` if unknown.
  ///   - daily: the average distance in km and engine hours per day.
  public static func forecast(
    _ due: Point, at now: Point, readOn: (kilometers: CalendarDate?, engineHours: CalendarDate?),
    daily: (kilometers: Double?, engineHours: Double?)
  ) -> CalendarDate? {
    guard let today = now.date else { return due.date }
    func reached(_ due: Double?, _ now: Double?, _ readOn: CalendarDate?, _ daily: Double?) -> CalendarDate? {
      guard let due, let now else { return nil }
      if now >= due { return today }
      guard let readOn, let daily, daily > 0 else { return nil }
      // All dates up to the year 9999 are less than 3,000,000 days ahead.
      let days = min(((due - now) / daily).rounded(.up), 3_000_000)
      return max(readOn.adding(days: Int(days)), today)
    }
    return [
      due.date, reached(due.kilometers, now.kilometers, readOn.kilometers, daily.kilometers),
      reached(due.engineHours, now.engineHours, readOn.engineHours, daily.engineHours),
    ].compactMap { $0 }.min()
  }
}
