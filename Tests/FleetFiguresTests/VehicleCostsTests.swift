import FleetDomain
import FleetFigures
import FleetWork
import TestKit
import Testing

@Suite struct VehicleCostsTests {
  private static func money(_ amount: String, _ currency: String = "EUR") -> Money {
    Money(amount: amount, currency: currency)!
  }

  @Test func currencies_are_never_mixed() {
    var costs = VehicleCosts()
    costs.add(Self.money("12.50"), category: "toll")
    costs.add(Self.money("0.10"), category: "toll")
    costs.add(Self.money("7", "CHF"), category: "toll")
    costs.add(Self.money("80.005"), category: "fuel")
    costs.add(nil, category: "fuel")
    #expect(costs.total == [Self.money("7.00", "CHF"), Self.money("92.605")])
    #expect(
      costs.byCategory == ["toll": [Self.money("7.00", "CHF"), Self.money("12.60")], "fuel": [Self.money("80.005")]])
    #expect(costs.unknown == 1)
    #expect(costs.total(per: 3) == [Self.money("2.3333", "CHF"), Self.money("30.8683")])
    #expect(costs.total(per: nil) == nil && costs.total(per: 0) == nil)
    #expect(VehicleCosts().total == [] && VehicleCosts().total(per: 2) == [])
  }

  @Test func the_loss_of_value_is_spread_over_the_days_of_ownership() {
    var vehicle = Vehicle(id: "V")
    (vehicle.acquisitionCost, vehicle.residualValue) = (Self.money("30000"), Self.money("11750"))
    (vehicle.acquiredOn, vehicle.disposedOn) = (CalendarDate("2024-01-01"), CalendarDate("2028-12-30"))
    // 18,250 EUR over 1,825 days: 10 EUR a day.
    func loss(_ first: String, _ last: String, _ vehicle: Vehicle) -> [Money] {
      var costs = VehicleCosts()
      costs.addLossOfValue(
        of: vehicle, from: CalendarDate(first)!, through: CalendarDate(last)!, today: CalendarDate("2026-11-28")!)
      #expect(costs.isEstimated == (vehicle.disposedOn == nil && !costs.total.isEmpty))
      return costs.total
    }
    #expect(loss("2026-05-01", "2026-05-31", vehicle) == [Self.money("310.00")])
    #expect(loss("2023-12-01", "2024-01-02", vehicle) == [Self.money("20.00")])
    #expect(loss("2028-12-29", "2029-05-01", vehicle) == [Self.money("10.00")])
    #expect(loss("2029-01-01", "2029-05-01", vehicle) == [])
    // Still owned: until the planned day, which may have passed. From 2024-01-01 to 2026-11-28 are 1,063 days.
    (vehicle.disposedOn, vehicle.plannedDisposalOn) = (nil, CalendarDate("2028-12-30"))
    #expect(loss("2026-05-01", "2026-05-31", vehicle) == [Self.money("310.00")])
    for planned in [nil, CalendarDate("2026-01-01")] {
      vehicle.plannedDisposalOn = planned
      #expect(loss("2026-11-19", "2026-12-31", vehicle) == [Self.money("171.6839")])
      #expect(loss("2024-01-01", "2026-11-28", vehicle) == [Self.money("18250.00")])
    }
    vehicle.disposedOn = CalendarDate("2028-12-30")
    vehicle.residualValue = Self.money("11750", "CHF")
    #expect(loss("2026-05-01", "2026-05-31", vehicle) == [])
    vehicle.residualValue = nil
    #expect(loss("2026-05-01", "2026-05-31", vehicle) == [])
  }

  /// Random vehicles and ranges, against the sum of the loss of each single day.
  @Test(arguments: 1...10) func the_loss_of_a_range_is_the_sum_of_its_days(seed: Int) {
    var random = SplitMix(seed: UInt64(seed))
    for _ in 0..<200 {
      let today = CalendarDate(dayNumber: 20_000)
      func day(_ range: ClosedRange<Int>) -> CalendarDate {
        CalendarDate(dayNumber: 20_000 + Int.random(in: range, using: &random))
      }
      var vehicle = Vehicle(id: "V")
      vehicle.acquisitionCost = Money(
        tenThousandths: Int128(Int64.random(in: 0...900_000_000, using: &random)), currency: "EUR")
      vehicle.residualValue = Money(
        tenThousandths: Int128(Int64.random(in: 0...900_000_000, using: &random)), currency: "EUR")
      vehicle.acquiredOn = day(-900 ... -1)
      if Bool.random(using: &random) { vehicle.disposedOn = day(-900...300) }
      if Bool.random(using: &random) { vehicle.plannedDisposalOn = day(-900...900) }
      let (first, length) = (day(-1_000...400), Int.random(in: 0...400, using: &random))
      // Each day from the first day of ownership to the day before the last has the same part.
      var expected = 0.0
      let end = vehicle.disposedOn ?? [vehicle.plannedDisposalOn, today.next].compactMap { $0 }.max()!
      var owned = 0
      var day = vehicle.acquiredOn!
      while day < end { (owned, day) = (owned + 1, day.next) }
      for offset in 0...length {
        let day = first.adding(days: offset)
        guard vehicle.acquiredOn! <= day, day < end else { continue }
        expected +=
          Double(vehicle.acquisitionCost!.tenThousandths - vehicle.residualValue!.tenThousandths) / Double(owned)
      }
      var costs = VehicleCosts()
      costs.addLossOfValue(of: vehicle, from: first, through: first.adding(days: length), today: today)
      #expect(abs(Double(costs.total.first?.tenThousandths ?? 0) - expected) <= 0.5001, "seed \(seed)")
    }
  }
}
