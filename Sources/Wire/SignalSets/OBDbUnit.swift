import OBDWire

/// A unit in a signal set, and the corresponding units of readings and of records.
///
/// If the unit is unknown, records contain its name in the set unchanged.
struct OBDbUnit: Equatable {
  /// The unit of the readings; `.none` if ``OBDWire`` does not have it.
  var unit: Unit
  /// The text of the unit in records; empty if the value has no unit.
  var symbol: String
  /// Whether a one-bit value in this unit is a boolean: `true` for `offon` and `noyes`, in which 0 means "off" or "no".
  /// In the units `onoff` and `yesno`, 0 means "on" or "yes". Their values remain numbers, because a boolean would be
  /// inverted.
  var isTruth = false
  /// Whether the value is text (`ascii`, `hex`), which may consist of digits. A text has no unit and no scaling.
  var isText = false

  private init(_ unit: Unit) { (self.unit, symbol) = (unit, "\(unit.symbol)") }
  private init(_ symbol: String) { (unit, self.symbol) = (.none, symbol) }

  init(word: String) {
    self = Self.known(word)
    isTruth = word == "offon" || word == "noyes"
    isText = word == "ascii" || word == "hex"
  }

  private static func known(_ word: String) -> OBDbUnit {
    switch word {
    case "scalar", "unknown", "offon", "noyes", "onoff", "yesno", "ascii", "hex": OBDbUnit(.none)
    case "normal": OBDbUnit(.normal)
    case "percent": OBDbUnit(.percent)
    case "rpm": OBDbUnit(.rpm)
    case "degrees": OBDbUnit(.degree)
    case "radians": OBDbUnit(.radian)
    case "celsius": OBDbUnit(.celsius)
    case "fahrenheit": OBDbUnit(.fahrenheit)
    case "kelvin": OBDbUnit(.kelvin)
    case "kilopascal": OBDbUnit(.kilopascal)
    case "bars": OBDbUnit(.bar)
    case "psi": OBDbUnit(.psi)
    case "newtonMeters": OBDbUnit(.newtonMetre)
    case "poundFoot": OBDbUnit("lb·ft")
    case "inchPound": OBDbUnit("in·lb")
    default: electric(word) ?? distance(word) ?? other(word) ?? OBDbUnit(word)
    }
  }

  private static func electric(_ word: String) -> OBDbUnit? {
    switch word {
    case "volts": OBDbUnit(.volt)
    case "millivolts": OBDbUnit(.millivolt)
    case "kilovolts": OBDbUnit("kV")
    case "amps": OBDbUnit(.ampere)
    case "milliamps": OBDbUnit(.milliampere)
    case "kiloamps": OBDbUnit("kA")
    case "ampereHours": OBDbUnit(.ampereHour)
    case "milliampereHours": OBDbUnit("mAh")
    case "kiloampereHours": OBDbUnit("kAh")
    case "coulombs": OBDbUnit("C")
    case "ohms": OBDbUnit(.ohm)
    case "kiloohms": OBDbUnit(.kiloohm)
    case "megaohms": OBDbUnit("MΩ")
    case "milliohms": OBDbUnit(.milliohm)
    case "microohms": OBDbUnit("µΩ")
    case "watts": OBDbUnit(.watt)
    case "kilowatts": OBDbUnit(.kilowatt)
    case "milliwatts": OBDbUnit("mW")
    case "kilowattHours": OBDbUnit(.kilowattHour)
    case "kilowattHoursPer100Kilometers": OBDbUnit("kWh/100 km")
    case "kilowattHoursPer100Miles": OBDbUnit("kWh/100 mi")
    case "milesPerKilowattHour": OBDbUnit("mi/kWh")
    case "joules": OBDbUnit("J")
    case "kilojoules": OBDbUnit("kJ")
    default: nil
    }
  }

  private static func distance(_ word: String) -> OBDbUnit? {
    switch word {
    case "kilometers": OBDbUnit(.kilometre)
    case "meters": OBDbUnit(.metre)
    case "centimeters": OBDbUnit(.centimetre)
    case "millimeters": OBDbUnit(.millimetre)
    case "miles": OBDbUnit(.miles)
    case "yards": OBDbUnit("yd")
    case "feet": OBDbUnit("ft")
    case "inches": OBDbUnit("in")
    case "kilometersPerHour": OBDbUnit(.kilometresPerHour)
    case "milesPerHour": OBDbUnit(.milesPerHour)
    case "metersPerSecond": OBDbUnit("m/s")
    case "metersPerSecondSquared": OBDbUnit(.metresPerSecondSquared)
    case "gravity": OBDbUnit("gₙ")
    default: nil
    }
  }

  private static func other(_ word: String) -> OBDbUnit? {
    switch word {
    case "hours": OBDbUnit(.hour)
    case "minutes": OBDbUnit(.minute)
    case "seconds": OBDbUnit(.second)
    case "milliseconds": OBDbUnit(.millisecond)
    case "terahertz": OBDbUnit("THz")
    case "gigahertz": OBDbUnit("GHz")
    case "megahertz": OBDbUnit("MHz")
    case "kilohertz": OBDbUnit(.kilohertz)
    case "hertz": OBDbUnit(.hertz)
    case "millihertz": OBDbUnit("mHz")
    case "microhertz": OBDbUnit("µHz")
    case "nanohertz": OBDbUnit("nHz")
    case "framesPerSecond": OBDbUnit("fps")
    case "liters": OBDbUnit(.litre)
    case "gallons": OBDbUnit(.gallon)
    case "litersPerHour": OBDbUnit(.litresPerHour)
    case "gallonsPerHour": OBDbUnit("gal/h")
    case "gramsPerSecond": OBDbUnit(.gramsPerSecond)
    case "kilogramsPerHour": OBDbUnit(.kilogramsPerHour)
    case "milligramsPerStroke": OBDbUnit(.milligramsPerStroke)
    case "gramsPerLiter": OBDbUnit("g/L")
    case "milligramsPerDeciliter": OBDbUnit("mg/dL")
    default: nil
    }
  }
}
