/// The unit of a signal.
public enum Unit: UInt8, BitwiseCopyable, Sendable {
  case none
  case percent, rpm, kilometresPerHour, celsius, kilopascal, pascal, volt, millivolt, ampere, milliampere
  case gramsPerSecond, litresPerHour, kilogramsPerHour, milligramsPerStroke, milligramsPerSecond
  case degree, second, minute, hour, millisecond, kilometre, newtonMetre
  case litre, gram, kilogram, kilowatt, watt, kilowattHour, wattHour, ampereHour, ohm, kiloohm, milliohm
  case ppm, hertz, kilohertz, count, metresPerSecondSquared, metre, centimetre, millimetre
  case psi, bar, miles, milesPerHour, fahrenheit, kelvin, gallon, kilopascalPerSecond, percentPerSecond
  case millisecondPerBit, gPerCycle, degreesPerSecond, radian, normal, ratio, bit, byte, milligram, microsecond
  case voltPerMillisecond, millivoltPerSecond, pascalPerSecond, gramsPerCylinder, squareMillimetre, microampere
  case kilojoule, gramsPerKilowattHour, milligramsPerCubicMetre

  /// The unit's symbol in records; empty if there is none, as for counts and ratios.
  public var symbol: StaticString {
    switch self {
    case .none, .count, .normal, .ratio: ""
    case .percent: "%"
    case .rpm: "rpm"
    case .kilometresPerHour: "km/h"
    case .celsius: "°C"
    case .kilopascal: "kPa"
    case .pascal: "Pa"
    case .volt: "V"
    case .millivolt: "mV"
    case .ampere: "A"
    case .milliampere: "mA"
    case .gramsPerSecond: "g/s"
    case .litresPerHour: "L/h"
    case .kilogramsPerHour: "kg/h"
    case .milligramsPerStroke: "mg/stroke"
    case .milligramsPerSecond: "mg/s"
    case .degree: "°"
    case .second: "s"
    case .minute: "min"
    case .hour: "h"
    case .millisecond: "ms"
    case .kilometre: "km"
    case .newtonMetre: "Nm"
    case .litre: "L"
    case .gram: "g"
    case .kilogram: "kg"
    case .kilowatt: "kW"
    case .watt: "W"
    case .kilowattHour: "kWh"
    case .wattHour: "Wh"
    case .ampereHour: "Ah"
    case .ohm: "Ω"
    case .kiloohm: "kΩ"
    case .milliohm: "mΩ"
    case .ppm: "ppm"
    case .hertz: "Hz"
    case .kilohertz: "kHz"
    case .metresPerSecondSquared: "m/s²"
    case .metre: "m"
    case .centimetre: "cm"
    case .millimetre: "mm"
    case .psi: "psi"
    case .bar: "bar"
    case .miles: "mi"
    case .milesPerHour: "mph"
    case .fahrenheit: "°F"
    case .kelvin: "K"
    case .gallon: "gal"
    case .kilopascalPerSecond: "kPa/s"
    case .percentPerSecond: "%/s"
    case .millisecondPerBit: "ms/bit"
    case .gPerCycle: "g/cycle"
    case .degreesPerSecond: "°/s"
    case .radian: "rad"
    case .bit: "bit"
    case .byte: "B"
    case .milligram: "mg"
    case .microsecond: "µs"
    case .voltPerMillisecond: "V/ms"
    case .millivoltPerSecond: "mV/s"
    case .pascalPerSecond: "Pa/s"
    case .gramsPerCylinder: "g/cyl"
    case .squareMillimetre: "mm²"
    case .microampere: "µA"
    case .kilojoule: "kJ"
    case .gramsPerKilowattHour: "g/kWh"
    case .milligramsPerCubicMetre: "mg/m³"
    }
  }
}
