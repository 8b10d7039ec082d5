import OBDWire

/// The last vehicle that reported a VIN, with facts that distinguish it from a vehicle that reports none.
///
/// A single unanswered request for the VIN (`NO DATA` to 09 02) does not mean that the vehicle is a different one. A
/// support mask without the VIN does, and so does a difference that a lost answer cannot explain.
struct NamedVehicle: BitwiseCopyable {
  /// Its ECUs; empty if the vehicle is known only from an earlier session.
  var car = VehicleCapabilities()
  /// The ECU that reported the VIN; `nil` if that was in an earlier session.
  var vinSender: ECUAddress?
  /// ELM digit of its bus (ASCII); 0 or `0` if unknown.
  var protocolDigit: UInt8 = 0

  /// Whether the other vehicle cannot report a VIN, because the support mask of service 09 lacks infotype 02. The mask
  /// of the ECU that reported the VIN decides. If that ECU is unknown, the masks of all engine ECUs decide; without
  /// engine ECUs, those of all ECUs.
  func isDenied(by other: VehicleCapabilities) -> Bool {
    guard other.ecuCount > 0, !other.anyHas(information: 0x02) else { return false }
    if let vinSender {
      guard let ecu = other.index(of: vinSender) else { return false }
      return !other.information(of: ecu).isEmpty
    }
    let engines = other.ecus(supporting: 0x0C)
    for ecu in 0..<other.ecuCount where engines == 0 || engines & 1 << UInt8(truncatingIfNeeded: ecu) != 0 {
      guard !other.information(of: ecu).isEmpty else { return false }
    }
    return true
  }

  /// Whether another vehicle is certainly not this one: its bus is different, or an ECU at the same address supports
  /// other PIDs.
  func isUnlike(_ other: VehicleCapabilities, protocolDigit digit: UInt8) -> Bool {
    if let former = Self.bus(protocolDigit), let now = Self.bus(digit), former != now { return true }
    // A vehicle may support different PIDs by services 01 and 22.
    guard car.isUDS == other.isUDS else { return false }
    for ecu in 0..<other.ecuCount {
      guard let same = car.index(of: other.address(of: ecu)) else { continue }
      if car.supported(by: same).contradicts(other.supported(by: ecu)) { return true }
    }
    return false
  }

  /// An ISO 14230 vehicle may answer both the fast initialization (`5`) and the slow one (`4`).
  private static func bus(_ digit: UInt8) -> UInt8? {
    guard (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(digit) else { return nil }
    return digit == UInt8(ascii: "5") ? UInt8(ascii: "4") : digit
  }
}
