/// The part of the vehicle to which a trouble code belongs: its letter, bits 15 and 14 (SAE J2012, section 4.1; ISO
/// 15031-6, section 5.1).
public enum TroubleCodeSystem: UInt8, CaseIterable, Sendable, CustomStringConvertible {
  /// `P`: engine, transmission, hybrid or electric drive.
  case powertrain
  /// `C`: brakes, steering, suspension.
  case chassis
  /// `B`: restraints, comfort, lighting.
  case body
  /// `U`: data buses between control modules, and the modules themselves.
  case network

  /// The letter of the code: `P`, `C`, `B` or `U`.
  public var letter: Character {
    switch self {
    case .powertrain: "P"
    case .chassis: "C"
    case .body: "B"
    case .network: "U"
    }
  }

  /// The name of the part of the vehicle in lower case.
  public var description: String {
    switch self {
    case .powertrain: "powertrain"
    case .chassis: "chassis"
    case .body: "body"
    case .network: "network"
    }
  }
}

/// Whether the standard or the manufacturer defines the meaning of a code. This follows from the code's first digit,
/// and for P3xxx also from the second digit (SAE J2012, table 1; ISO 15031-6, section 5.2).
public enum TroubleCodeAuthority: Sendable {
  /// ISO/SAE: the code has the same meaning for every make.
  case standard
  /// The manufacturer: the meaning depends on the make.
  case maker
  /// Reserved by the standard: no vehicle should send the code.
  case reserved
}
