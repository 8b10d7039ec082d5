/// Hexadecimal digits, as adapters print them.
public enum Hex {
  /// The upper-case digit of the low four bits.
  public static func digit(_ nibble: UInt8) -> UInt8 {
    let low = nibble & 0x0F
    return low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "A") + low - 10
  }
}
