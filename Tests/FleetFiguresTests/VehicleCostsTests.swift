import FleetDomain
import FleetFigures
import FleetWork
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
      costs.addLossOfValue(of: vehicle, from: CalendarDate(first)!, through: CalendarDate(last)!)
      return costs.total
    }
    #expect(loss("2026-05-01", "2026-05-31", vehicle) == [Self.money("310.00")])
    #expect(loss("2023-12-01", "2024-01-02", vehicle) == [Self.money("20.00")])
    #expect(loss("2028-12-29", "2029-05-01", vehicle) == [Self.money("10.00")])
    #expect(loss("2029-01-01", "2029-05-01", vehicle) == [])
    vehicle.residualValue = Self.money("11750", "CHF")
    #expect(loss("2026-05-01", "2026-05-31", vehicle) == [])
    vehicle.residualValue = nil
    #expect(loss("2026-05-01", "2026-05-31", vehicle) == [])
  }
}
