/// The functional group of a code, given by its letter and its first two digits (SAE J2012, section 4.3; ISO 15031-6,
/// section 5.3). Manufacturer-specific powertrain codes use the same groups.
public enum TroubleCodeSubsystem: CaseIterable, Sendable, CustomStringConvertible {
  case fuelAirAndEmissions
  case fuelAndAir
  case ignition
  case auxiliaryEmissions
  case speedAndIdle
  case auxiliaryInputs
  case computerAndOutputs
  case transmission
  case hybridPropulsion
  case cylinderDeactivation
  case brakesAndTraction
  case restraints
  case networkElectrical
  case networkCommunication
  case networkSoftware
  case networkData
  case modulesAndPower
  /// A manufacturer-specific code outside the groups of the standard.
  case makerAssigned
  /// A group to which the standard assigns no function.
  case unassigned

  /// The name of the group in lower case.
  public var description: String {
    switch self {
    case .fuelAirAndEmissions: "fuel and air metering, auxiliary emission controls"
    case .fuelAndAir: "fuel and air metering"
    case .ignition: "ignition or misfire"
    case .auxiliaryEmissions: "auxiliary emission controls"
    case .speedAndIdle: "vehicle speed, idle control, auxiliary inputs"
    case .auxiliaryInputs: "auxiliary inputs"
    case .computerAndOutputs: "computer and auxiliary outputs"
    case .transmission: "transmission"
    case .hybridPropulsion: "hybrid or electric propulsion"
    case .cylinderDeactivation: "cylinder deactivation"
    case .brakesAndTraction: "brakes and traction control"
    case .restraints: "restraints"
    case .networkElectrical: "network electrical"
    case .networkCommunication: "network communication"
    case .networkSoftware: "network software"
    case .networkData: "network data"
    case .modulesAndPower: "control modules and power"
    case .makerAssigned: "sub-system chosen by the maker"
    case .unassigned: "sub-system not assigned"
    }
  }

  /// Finds the functional group of a code.
  ///
  /// - Parameters:
  ///   - system: the part of the vehicle, from the code's letter.
  ///   - group: the code's first and second digit, for example 0x04 for P0420.
  init(system: TroubleCodeSystem, group: UInt8, authority: TroubleCodeAuthority) {
    let found: Self? =
      switch system {
      case .powertrain: Self.powertrain(group)
      case .chassis: group == 0x00 ? .brakesAndTraction : nil
      case .body: group == 0x00 ? .restraints : nil
      case .network: Self.network(group)
      }
    self = found ?? (authority == .maker ? .makerAssigned : .unassigned)
  }

  private static func powertrain(_ group: UInt8) -> Self? {
    switch group {
    case 0x00, 0x20...0x22, 0x2A, 0x2B, 0x30...0x32: .fuelAirAndEmissions
    case 0x01, 0x02, 0x10...0x12: .fuelAndAir
    case 0x03, 0x13, 0x23, 0x33: .ignition
    case 0x04, 0x14, 0x24: .auxiliaryEmissions
    case 0x05, 0x15: .speedAndIdle
    case 0x25: .auxiliaryInputs
    case 0x06, 0x16, 0x26: .computerAndOutputs
    case 0x07...0x09, 0x17...0x19, 0x27, 0x28: .transmission
    case 0x0A...0x0E, 0x1A: .hybridPropulsion
    case 0x34: .cylinderDeactivation
    default: nil
    }
  }

  private static func network(_ group: UInt8) -> Self? {
    switch group {
    case 0x00: .networkElectrical
    case 0x01, 0x02: .networkCommunication
    case 0x03: .networkSoftware
    case 0x04, 0x05: .networkData
    case 0x30: .modulesAndPower
    default: nil
    }
  }
}
