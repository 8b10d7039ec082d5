/// The part of the vehicle that a diagnostic trouble code belongs to: its letter, bits 15 and 14 (SAE J2012, 4.1;
/// ISO 15031-6, 5.1).
public enum TroubleCodeSystem: UInt8, CaseIterable, Sendable, CustomStringConvertible {
  /// `P`: engine, transmission, hybrid or electric drive.
  case powertrain
  /// `C`: brakes, steering, suspension.
  case chassis
  /// `B`: restraints, comfort, lighting.
  case body
  /// `U`: buses between control modules, and the modules as such.
  case network

  /// `P`, `C`, `B` or `U`.
  public var letter: Character {
    switch self {
    case .powertrain: "P"
    case .chassis: "C"
    case .body: "B"
    case .network: "U"
    }
  }

  /// In words, lower case.
  public var description: String {
    switch self {
    case .powertrain: "powertrain"
    case .chassis: "chassis"
    case .body: "body"
    case .network: "network"
    }
  }
}

/// Who gives a code its meaning: the first digit, and of P3xxx the second (SAE J2012, table 1; ISO 15031-6, 5.2).
public enum TroubleCodeAuthority: Sendable {
  /// ISO/SAE: it means the same in every make.
  case standard
  /// The vehicle's maker: it may mean something else in every make.
  case maker
  /// Kept free by the standard: no car should send it.
  case reserved
}
