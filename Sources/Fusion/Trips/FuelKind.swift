/// What an engine burns, as far as air or fuel by mass can be turned into litres of it.
///
/// Stoichiometric ratios are those of Heywood, Internal Combustion Engine Fundamentals, table D.4. Densities: the middle of
/// what EN 228 (720…775 g/L) and EN 590 (820…845 g/L) allow at 15 °C, for single substances Heywood's. Blends of gas have
/// neither: what LPG holds differs by country and season, and CNG is not sold by the litre.
public enum FuelKind: UInt8, BitwiseCopyable, Equatable, Sendable, CaseIterable {
  case gasoline, diesel, ethanol, methanol, propane
  /// Burnt, but no litres follow from its mass: LPG, CNG, two fuels at once.
  case other
  /// Nothing is burnt.
  case electricity

  /// From the code of PID 51 (SAE J1979-DA): what burns now. Nil where it does not say.
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

  /// Whether a code of PID 51 says that the vehicle may drive with its engine still.
  static func isElectrified(code: Double) -> Bool { code == 8 || code >= 15 && code <= 22 || code == 29 }

  /// Whether a spark lights it.
  var isSparkIgnited: Bool {
    switch self {
    case .gasoline, .ethanol, .methanol, .propane: true
    case .diesel, .other, .electricity: false
    }
  }

  /// g of air that burn one g of it.
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

  /// g in a litre.
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
