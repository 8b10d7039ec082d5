/// Conversions to the units of the fleet. A value of another program is converted once, when it is read.
enum Units {
  static func kilometers(miles: Double) -> Double { rounded(miles * 1.609344) }
  static func kilometers(meters: Double) -> Double { rounded(meters / 1_000) }
  static func meters(feet: Double) -> Double { rounded(feet * 0.3048) }
  static func kilometersPerHour(metersPerSecond: Double) -> Double { rounded(metersPerSecond * 3.6) }
  static func kilometersPerHour(knots: Double) -> Double { rounded(knots * 1.852) }
  static func celsius(fahrenheit: Double) -> Double { rounded((fahrenheit - 32) / 1.8) }
  static func liters(gallons: Double) -> Double { rounded(gallons * 3.785411784) }
  static func liters(imperialGallons: Double) -> Double { rounded(imperialGallons * 4.54609) }
  static func kilopascals(psi: Double) -> Double { rounded(psi * 6.894757293168361) }
  static func kilopascals(bar: Double) -> Double { rounded(bar * 100) }
  static func kilograms(pounds: Double) -> Double { rounded(pounds * 0.45359237) }

  /// Rounds to six decimals, more than any sensor provides, so that a conversion does not add digits.
  static func rounded(_ value: Double) -> Double {
    let scaled = (value * 1e6).rounded() / 1e6
    return scaled.isFinite ? scaled : value
  }
}

/// Conversions from units that are written as text beside a value, as in ISO 15143-3.
///
/// A value with an unknown unit is not converted: a unit is never assumed.
enum NamedUnit {
  /// Returns a distance in km; `nil` for an unknown unit.
  static func kilometers(_ value: Double, _ unit: String) -> Double? {
    switch normal(unit) {
    case "kilometre", "kilometer", "km": value
    case "mile", "mi": Units.kilometers(miles: value)
    case "metre", "meter", "m": Units.kilometers(meters: value)
    default: nil
    }
  }

  /// Returns a volume in litres; `nil` for an unknown unit.
  static func liters(_ value: Double, _ unit: String) -> Double? {
    switch normal(unit) {
    case "litre", "liter", "l": value
    case "gallon", "usgallon", "gallonus", "gal": Units.liters(gallons: value)
    case "imperialgallon", "ukgallon", "gallonimperial", "gallonuk": Units.liters(imperialGallons: value)
    default: nil
    }
  }

  /// Returns a height in metres; `nil` for an unknown unit.
  static func meters(_ value: Double, _ unit: String) -> Double? {
    switch normal(unit) {
    case "metre", "meter", "m": value
    case "foot", "feet", "ft": Units.meters(feet: value)
    default: nil
    }
  }

  /// Returns a mass in kg; `nil` for an unknown unit.
  static func kilograms(_ value: Double, _ unit: String) -> Double? {
    switch normal(unit) {
    case "kilogram", "kg": value
    case "tonne", "metricton", "metrictonne", "t": Units.rounded(value * 1_000)
    case "pound", "lb": Units.kilograms(pounds: value)
    case "shortton": Units.kilograms(pounds: value * 2_000)
    default: nil
    }
  }

  /// Returns the unit's name in lower case and in the singular, without separators.
  private static func normal(_ unit: String) -> String {
    var text = unit.lowercased().filter { $0.isLetter }
    if text.count > 2, text.hasSuffix("s") { text.removeLast() }
    return text
  }
}
