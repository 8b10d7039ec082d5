/// The 128-bit identifier of a Bluetooth service or characteristic.
///
/// The Bluetooth SIG also assigns 16-bit numbers as abbreviations. The number NNNN (hexadecimal) stands for the
/// identifier 0000NNNN-0000-1000-8000-00805F9B34FB (Core Specification, volume 3, part B, 2.5.1).
struct BluetoothUUID: Hashable, Sendable, CustomStringConvertible {
  let high: UInt64
  let low: UInt64

  private static let base: (high: UInt64, low: UInt64) = (0x0000_0000_0000_1000, 0x8000_0080_5F9B_34FB)

  /// The identifier of the Serial Port Profile.
  static let serialPort = BluetoothUUID(0x1101)

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Creates the identifier that a 16-bit number stands for.
  init(_ short: UInt16) {
    high = BluetoothUUID.base.high | UInt64(short) << 32
    low = BluetoothUUID.base.low
  }

  /// Parses an identifier such as `6e400001-b5a3-f393-e0a9-e50e24dcca9e` in upper or lower case; `nil` for any other
  /// text.
  init?(_ text: some StringProtocol) {
    var halves: (high: UInt64, low: UInt64) = (0, 0)
    var digits = 0
    for byte in text.utf8 {
      if [8, 12, 16, 20].contains(digits), byte == UInt8(ascii: "-") { continue }
      guard digits < 32, byte < 0x80, let digit = Character(UnicodeScalar(byte)).hexDigitValue else { return nil }
      if digits < 16 {
        halves.high = halves.high << 4 | UInt64(digit)
      } else {
        halves.low = halves.low << 4 | UInt64(digit)
      }
      digits += 1
    }
    guard digits == 32 else { return nil }
    (high, low) = halves
  }

  /// The four-digit form, such as `FFE0`, if the identifier has a 16-bit number; otherwise the long form.
  var description: String {
    let number = high >> 32
    if low == BluetoothUUID.base.low, high & 0xFFFF_FFFF == BluetoothUUID.base.high, number <= 0xFFFF {
      return BluetoothUUID.hex(number, digits: 4)
    }
    let parts = [
      (high >> 32, 8), (high >> 16 & 0xFFFF, 4), (high & 0xFFFF, 4), (low >> 48, 4), (low & 0xFFFF_FFFF_FFFF, 12),
    ]
    return parts.map { BluetoothUUID.hex($0.0, digits: $0.1) }.joined(separator: "-")
  }

  private static func hex(_ number: UInt64, digits: Int) -> String {
    let text = String(number, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }
}
