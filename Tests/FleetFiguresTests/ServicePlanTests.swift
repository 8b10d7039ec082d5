import FleetDomain
import FleetWork
import TestKit
import Testing

@testable import FleetFigures

@Suite struct ServicePlanTests {
  private static func date(_ text: String) -> CalendarDate { CalendarDate(text)! }

  private static func plan(
    days: Int64? = nil, months: Int64? = nil, kilometers: Double? = nil, hours: Double? = nil,
    basis: ServiceSchedule.Basis = .fromCompletion
  ) -> ServicePlan {
    var schedule = ServiceSchedule()
    (schedule.every.days, schedule.every.months) = (days, months)
    (schedule.every.kilometers, schedule.every.engineHours) = (kilometers, hours)
    schedule.basis = basis
    return ServicePlan(schedule)
  }

  @Test func a_service_is_due_after_whichever_comes_first() {
    let plan = Self.plan(days: 365, months: 12, kilometers: 15_000)
    let due = plan.due(after: .init(date: Self.date("2027-03-01"), kilometers: 1_000))
    // 2028 has a leap day.
    #expect(due == .init(date: Self.date("2028-02-29"), kilometers: 16_000))
    func state(_ date: String, _ kilometers: Double) -> ServiceSchedule.State {
      plan.state(due, at: .init(date: Self.date(date), kilometers: kilometers))
    }
    #expect(state("2028-02-14", 15_499) == .ok)
    #expect(state("2028-02-15", 1_000) == .dueSoon && state("2027-04-01", 15_500) == .dueSoon)
    #expect(state("2028-02-29", 1_000) == .dueSoon && state("2028-03-01", 1_000) == .overdue)
    #expect(state("2027-04-01", 16_000) == .overdue)
    let snoozed = plan.state(
      due, at: .init(date: Self.date("2028-03-01")), snoozedUntil: Self.date("2028-03-02"))
    #expect(snoozed == .snoozed)
    #expect(
      plan.state(due, at: .init(date: Self.date("2028-03-02")), snoozedUntil: Self.date("2028-03-02")) == .overdue)
  }

  @Test func a_fixed_service_on_the_31st_returns_to_the_31st() {
    let plan = Self.plan(months: 1, basis: .fixed)
    var due = plan.due(after: .init(date: Self.date("2026-12-31")))
    var dates = [due.date?.text]
    for _ in 0..<5 {
      due = plan.due(after: .init(date: due.date), due: due)
      dates.append(due.date?.text)
    }
    #expect(dates == ["2027-01-31", "2027-02-28", "2027-03-31", "2027-04-30", "2027-05-31", "2027-06-30"])
    // Services that were skipped do not change the day.
    let late = plan.due(
      after: .init(date: Self.date("2028-02-10")), due: .init(date: Self.date("2027-02-28"), monthDay: 31))
    #expect(late == .init(date: Self.date("2028-02-29"), monthDay: 31))
    // A service that is due on the 28th stays on the 28th.
    let early = plan.due(after: .init(date: Self.date("2027-02-28")), due: .init(date: Self.date("2027-02-28")))
    #expect(early == .init(date: Self.date("2027-03-28")))
  }

  @Test func months_end_with_their_last_day() {
    #expect(Self.date("2026-01-31").adding(months: 1).text == "2026-02-28")
    #expect(Self.date("2027-12-31").adding(months: 2).text == "2028-02-29")
    #expect(Self.date("2026-11-23").adding(months: 14).text == "2028-01-23")
    #expect(Self.date("9999-12-01").adding(months: 1_200).text == "9999-12-31")
  }

  /// Counts day by day.
  @Test func days_are_those_of_the_calendar() {
    var (date, number) = (Self.date("1896-02-27"), Self.date("1896-02-27").dayNumber)
    #expect(Self.date("1970-01-01").dayNumber == 0 && Self.date("2000-03-01").dayNumber == 11_017)
    for _ in 0..<100_000 {
      let next =
        date.day < CalendarDate.days(in: date.month, of: date.year)
        ? CalendarDate(year: date.year, month: date.month, day: date.day + 1)
        : date.month < 12
          ? CalendarDate(year: date.year, month: date.month + 1, day: 1)
          : CalendarDate(year: date.year + 1, month: 1, day: 1)
      guard let next else { return #expect(Bool(false)) }
      guard date.adding(days: 1) == next, next.dayNumber == number + 1, next.adding(days: -1) == date else {
        return #expect(Bool(false), "\(date.text)")
      }
      (date, number) = (next, number + 1)
    }
  }

  @Test func the_basis_decides_where_the_next_interval_begins() {
    let due = ServicePlan.Point(date: Self.date("2026-05-01"), kilometers: 10_000, engineHours: 100)
    let late = ServicePlan.Point(date: Self.date("2026-05-20"), kilometers: 10_700, engineHours: 120)
    let free = Self.plan(months: 1, kilometers: 10_000, hours: 100)
    #expect(
      free.due(after: late, due: due)
        == .init(date: Self.date("2026-06-20"), kilometers: 20_700, engineHours: 220))
    let fixed = Self.plan(months: 1, kilometers: 10_000, hours: 100, basis: .fixed)
    let first = ServicePlan.Point(date: Self.date("2026-06-01"), kilometers: 20_000, engineHours: 200)
    #expect(fixed.due(after: late, due: due) == first)
    // Done early.
    #expect(
      fixed.due(after: .init(date: Self.date("2026-04-20"), kilometers: 9_900, engineHours: 90), due: due) == first)
    // Missed services are not made up for.
    #expect(
      fixed.due(after: .init(date: Self.date("2026-08-01"), kilometers: 35_000, engineHours: 100), due: due)
        == .init(date: Self.date("2026-09-01"), kilometers: 40_000, engineHours: 200))
  }

  @Test func the_forecast_comes_from_recent_use() {
    let now = ServicePlan.Point(date: Self.date("2026-05-01"), kilometers: 9_000, engineHours: 50)
    let due = ServicePlan.Point(date: Self.date("2027-05-01"), kilometers: 10_000, engineHours: 100)
    func forecast(_ kilometers: Double?, _ hours: Double?) -> String? {
      ServicePlan.forecast(
        due, at: now, readOn: (kilometers: now.date, engineHours: now.date),
        daily: (kilometers: kilometers, engineHours: hours))?.text
    }
    #expect(forecast(nil, nil) == "2027-05-01")
    #expect(forecast(150, nil) == "2026-05-08", "1,000 km at 150 km a day are 7 days")
    #expect(forecast(150, 10) == "2026-05-06")
    #expect(forecast(0, 0) == "2027-05-01")
    // 13,000 km were read on 8 October, at 100 km a day since 10,000 km on 8 September. 12,000 km are 120 days.
    let read = ServicePlan.Point(date: Self.date("2026-11-29"), kilometers: 13_000)
    let silent = ServicePlan.forecast(
      .init(kilometers: 25_000), at: read, readOn: (kilometers: Self.date("2026-10-08"), engineHours: nil),
      daily: (kilometers: 100, engineHours: nil))
    #expect(silent?.text == "2027-02-05")
  }

  /// The state computed by stepping from day to day changes only on days that ``checkDate`` names.
  @Test func the_state_changes_by_time_only_on_the_days_named() {
    var random = SplitMix(seed: 7)
    let start = Self.date("2026-05-01")
    for _ in 0..<500 {
      let plan = Self.plan(days: Int64.random(in: 1...40, using: &random))
      let due = plan.due(after: .init(date: start))
      let snoozed = Bool.random(using: &random) ? start.adding(days: Int.random(in: 1...60, using: &random)) : nil
      var today = start
      var next = plan.checkDate(due, after: today, snoozedUntil: snoozed)
      var state = plan.state(due, at: .init(date: today), snoozedUntil: snoozed)
      for _ in 0..<70 {
        today = today.adding(days: 1)
        let now = plan.state(due, at: .init(date: today), snoozedUntil: snoozed)
        if now != state { #expect(next == today, "\(plan) \(today)") }
        if next == today { next = plan.checkDate(due, after: today, snoozedUntil: snoozed) }
        state = now
      }
    }
  }
}
