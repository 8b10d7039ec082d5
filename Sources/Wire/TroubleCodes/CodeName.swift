/// A two-byte diagnostic trouble code and the meaning of its digits (SAE J2012, section 4; ISO 15031-6, section 5).
///
///     0000 0100 0010 0000      0x0420, P0420
///     P│0 │4    2    0         letter, first digit (0–3), three hex digits
public struct CodeName: Hashable, Sendable, CustomStringConvertible {
  /// The two bytes, high byte first: 0x0420 is P0420, 0xC100 is U0100. Every value is a code.
  public let number: UInt16

  /// Creates a code from its number.
  ///
  /// - Parameter number: the two bytes, high byte first.
  public init(_ number: UInt16) { self.number = number }

  /// Parses a code such as `P0420`, ignoring case; `nil` unless it consists of P, C, B or U, a digit from 0 to 3 and
  /// three hexadecimal digits.
  public init?(parsing text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count == 5, let system = Self.system(bytes[0]), let first = Self.digit(bytes[1]), first < 4 else {
      return nil
    }
    var number = UInt16(system.rawValue) << 14 | first << 12
    for (index, shift) in [(2, 8), (3, 4), (4, 0)] {
      guard let digit = Self.digit(bytes[index]) else { return nil }
      number |= digit << UInt16(shift)
    }
    self.number = number
  }

  /// The part of the vehicle to which the code belongs, from the letter.
  public var system: TroubleCodeSystem {
    switch number >> 14 {
    case 0: .powertrain
    case 1: .chassis
    case 2: .body
    default: .network
    }
  }

  /// Whether the standard or the manufacturer defines the meaning of the code.
  public var authority: TroubleCodeAuthority {
    switch (system, number >> 12 & 3) {
    case (_, 0), (.powertrain, 2), (.network, 3): .standard
    // P30xx to P33xx are manufacturer-specific; P34xx to P3Fxx are standard.
    case (.powertrain, 3): number & 0x0F00 < 0x0400 ? .maker : .standard
    case (_, 3): .reserved
    default: .maker
    }
  }

  /// The functional group of the code, from the first two digits.
  public var subsystem: TroubleCodeSubsystem {
    TroubleCodeSubsystem(system: system, group: UInt8(number >> 8 & 0x3F), authority: authority)
  }

  /// The code as text, for example `P0420`: five characters in upper case.
  public var description: String {
    var text = String(system.letter)
    for shift in [12, 8, 4, 0] {
      let digit = number >> UInt16(shift) & (shift == 12 ? 3 : 15)
      text += String(digit, radix: 16, uppercase: true)
    }
    return text
  }

  private static func system(_ byte: UInt8) -> TroubleCodeSystem? {
    switch byte {
    case UInt8(ascii: "P"), UInt8(ascii: "p"): .powertrain
    case UInt8(ascii: "C"), UInt8(ascii: "c"): .chassis
    case UInt8(ascii: "B"), UInt8(ascii: "b"): .body
    case UInt8(ascii: "U"), UInt8(ascii: "u"): .network
    default: nil
    }
  }

  private static func digit(_ byte: UInt8) -> UInt16? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
    default: nil
    }
  }
}
