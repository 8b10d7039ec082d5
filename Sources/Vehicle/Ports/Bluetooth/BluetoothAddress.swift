/// The address of a Bluetooth device: six bytes, written as `00:1D:A5:68:98:8A`.
public struct BluetoothAddress: Hashable, Sendable, CustomStringConvertible {
  /// The 48 bits of the address. The first byte of the written form is the most significant one.
  public let bits: UInt64

  /// Parses six pairs of hexadecimal digits separated by colons; `nil` for any other text.
  public init?(_ text: some StringProtocol) {
    var bits: UInt64 = 0
    var count = 0
    for byte in text.utf8 {
      if count % 3 == 2 {
        guard byte == UInt8(ascii: ":") else { return nil }
      } else {
        guard let digit = Character(UnicodeScalar(byte)).hexDigitValue, byte < 0x80 else {
          return nil
        }
        bits = bits << 4 | UInt64(digit)
      }
      count += 1
      guard count <= 17 else { return nil }
    }
    guard count == 17 else { return nil }
    self.bits = bits
  }

  /// Returns one byte of the address. The index is 0…5, in the order in which the bytes are written.
  subscript(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: bits >> UInt64((5 - index) * 8)) }

  /// The address in its usual form, such as `00:1D:A5:68:98:8A`.
  public var description: String {
    (0..<6).map { index in
      let digits = String(self[index], radix: 16, uppercase: true)
      return digits.count == 1 ? "0" + digits : digits
    }.joined(separator: ":")
  }

  /// Creates an address from the path of a D-Bus object such as `/org/bluez/hci0/dev_00_1D_A5_68_98_8A`; `nil` if the
  /// object is not a BlueZ device.
  init?(objectPath: String) {
    guard objectPath.hasPrefix("/org/bluez/"), let slash = objectPath.lastIndex(of: "/"),
      objectPath[slash...].hasPrefix("/dev_")
    else { return nil }
    let digits = objectPath[slash...].dropFirst(5)
    self.init(String(digits.map { $0 == "_" ? ":" : $0 }))
  }
}
