import OBDWire

/// The fuel of an engine. Its properties are needed to convert the mass of air or fuel to litres.
///
/// Stoichiometric ratios are from Heywood, Internal Combustion Engine Fundamentals, table D.4. The densities of petrol
/// and diesel fuel are the middle of the ranges at 15 °C in EN 228 (720…775 g/L) and EN 590 (820…845 g/L). The
/// densities of pure substances are Heywood's. Gas blends have no values: the composition of LPG depends on country and
/// season, and CNG is not sold by the litre.
public enum FuelKind: UInt8, BitwiseCopyable, Equatable, Sendable, CaseIterable {
  case gasoline, diesel, ethanol, methanol, propane
  /// A fuel whose mass is not converted to litres: LPG, CNG, or two fuels at once.
  case other
  /// Electricity; no fuel is burnt.
  case electricity

  /// Creates the fuel that a code of PID 51 names (SAE J1979-DA); `nil` if the code names no fuel.
  public init?(code: Double) {
    switch code {
    case 1, 9, 17: self = .gasoline
    case 2, 10: self = .methanol
    case 3, 11, 18: self = .ethanol
    case 4, 19, 23, 25: self = .diesel
    case 5, 6, 12, 13, 16, 24, 26...31: self = .other
    case 7, 14: self = .propane
    case 8, 15: self = .electricity
    default: return nil
    }
  }

  /// Whether a code of PID 51 means that the vehicle may drive with its engine off.
  static func isElectrified(code: Double) -> Bool { UInt8(exactly: code).map(FuelTypeCode.isElectrified) ?? false }

  /// Whether the fuel is ignited by a spark.
  var isSparkIgnited: Bool {
    switch self {
    case .gasoline, .ethanol, .methanol, .propane: true
    case .diesel, .other, .electricity: false
    }
  }

  /// Stoichiometric air–fuel ratio by mass; `nil` if the fuel has no fixed ratio.
  var stoichiometricRatio: Double? {
    switch self {
    case .gasoline: 14.6
    case .diesel: 14.5
    case .ethanol: 9.0
    case .methanol: 6.47
    case .propane: 15.67
    case .other, .electricity: nil
    }
  }

  /// Density, g/L; `nil` if the fuel has no fixed density.
  var density: Double? {
    switch self {
    case .gasoline: 747.5
    case .diesel: 832.5
    case .ethanol: 785
    case .methanol: 792
    case .propane: 510
    case .other, .electricity: nil
    }
  }
}
