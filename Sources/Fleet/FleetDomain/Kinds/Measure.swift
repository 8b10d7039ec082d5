/// A physical quantity that people may enter in other units than the one in which it is stored.
public enum Measure: String, Sendable {
  /// Stored in km.
  case distance
  /// Stored in L.
  case volume
  /// Stored in kg.
  case mass

  /// The units in which people may enter the quantity.
  public var units: [MeasureUnit] { MeasureUnit.allCases.filter { $0.measure == self } }
}

/// A unit in which a person enters a quantity.
public enum MeasureUnit: String, FieldChoice, Sendable {
  case kilometer = "km"
  case mile = "mi"
  case litre = "L"
  case usGallon
  case imperialGallon
  case kilogram = "kg"
  case pound = "lb"

  public var measure: Measure {
    switch self {
    case .kilometer, .mile: .distance
    case .litre, .usGallon, .imperialGallon: .volume
    case .kilogram, .pound: .mass
    }
  }

  /// The factor that converts a number in this unit to the unit in which the quantity is stored. All factors are exact
  /// by definition of the units.
  public var factor: Double {
    switch self {
    case .kilometer, .litre, .kilogram: 1
    case .mile: 1.609_344
    case .usGallon: 3.785_411_784
    case .imperialGallon: 4.546_09
    case .pound: 0.453_592_37
    }
  }
}
