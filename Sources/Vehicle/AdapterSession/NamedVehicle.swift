import OBDWire

/// The last vehicle that reported a VIN. Its data show whether a later vehicle that reports no VIN is a different one.
///
/// A single unanswered request for the VIN (`NO DATA` to 09 02) proves nothing. The later vehicle is a different one if
/// its support mask lacks the VIN, or if it differs in a way that a lost answer cannot explain.
struct NamedVehicle: BitwiseCopyable {
  /// Capabilities of the vehicle's ECUs; empty if the vehicle is known only from an earlier session.
  var car = VehicleCapabilities()
  /// The ECU that reported the VIN; `nil` if the VIN was read in an earlier session.
  var vinSender: ECUAddress?
  /// ELM digit of the vehicle's protocol, in ASCII; the number 0 or the character `0` if unknown.
  var protocolDigit: UInt8 = 0

  /// Whether the ECUs of `other` report that they have no VIN. Each ECU reports by a mask which infotypes of service 09
  /// it supports. No mask may contain infotype 02 (the VIN), and the necessary masks must have been received. If the
  /// ECU that reported this vehicle's VIN is known, only its mask is necessary. Otherwise, the masks of all ECUs with
  /// an engine speed are necessary. If no ECU has an engine speed, all masks are necessary.
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

  /// Whether `other` is certainly a different vehicle: its bus is different, or an ECU at the same address supports
  /// other PIDs.
  func isUnlike(_ other: VehicleCapabilities, protocolDigit digit: UInt8) -> Bool {
    if let former = Self.bus(protocolDigit), let now = Self.bus(digit), former != now { return true }
    // The same vehicle may report other PIDs by service 22 than by service 01.
    guard car.isUDS == other.isUDS else { return false }
    for ecu in 0..<other.ecuCount {
      guard let same = car.index(of: other.address(of: ecu)) else { continue }
      if car.supported(by: same).contradicts(other.supported(by: ecu)) { return true }
    }
    return false
  }

  /// Returns a digit for the bus of a protocol: `4` for both protocols of ISO 14230 (`4` and `5`), because a vehicle
  /// may answer both the slow initialization (`4`) and the fast one (`5`); for any other protocol, its own digit.
  /// Returns `nil` if the protocol is unknown.
  private static func bus(_ digit: UInt8) -> UInt8? {
    guard (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(digit) else { return nil }
    return digit == UInt8(ascii: "5") ? UInt8(ascii: "4") : digit
  }
}
