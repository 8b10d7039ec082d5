import Testing

@testable import FleetConnectors

@Suite struct UnitsTests {
  /// The expected values are those of the definitions of the units.
  @Test func conversions_have_the_factors_of_the_units() {
    #expect(Units.kilometers(miles: 100) == 160.9344)
    #expect(Units.kilometers(meters: 386_814_875) == 386_814.875)
    #expect(Units.meters(feet: 1_000) == 304.8)
    #expect(Units.kilometersPerHour(metersPerSecond: 10) == 36)
    #expect(Units.kilometersPerHour(knots: 10) == 18.52)
    #expect(Units.celsius(fahrenheit: 212) == 100 && Units.celsius(fahrenheit: -40) == -40)
    #expect(Units.liters(gallons: 10) == 37.854118)
    #expect(Units.liters(imperialGallons: 10) == 45.4609)
    #expect(Units.kilopascals(psi: 32) == 220.632233)
    #expect(Units.kilopascals(bar: 2.775) == 277.5)
    #expect(Units.kilograms(pounds: 2_000) == 907.18474)
    #expect(Units.kilometers(miles: 48.3) == 77.731315)
  }

  @Test func units_beside_values_are_read_in_all_spellings() {
    for unit in ["kilometre", "Kilometers", "km"] { #expect(NamedUnit.kilometers(5, unit) == 5) }
    for unit in ["mile", "Miles", "mi"] { #expect(NamedUnit.kilometers(10, unit) == 16.09344) }
    for unit in ["litre", "Liters", "L"] { #expect(NamedUnit.liters(7, unit) == 7) }
    for unit in ["gallon", "US Gallons"] { #expect(NamedUnit.liters(1, unit) == 3.785412) }
    for unit in ["Kilograms", "kg"] { #expect(NamedUnit.kilograms(3, unit) == 3) }
    #expect(NamedUnit.meters(100, "feet") == 30.48)
    #expect(NamedUnit.liters(1, "furlong") == nil && NamedUnit.kilometers(1, "") == nil)
  }
}
