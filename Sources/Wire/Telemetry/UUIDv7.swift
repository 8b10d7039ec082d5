/// A UUID of version 7: 48 bits of milliseconds, then bits that the caller provides (RFC 9562, 5.7).
///
///     0193e0f2-7c11-7a5e-8f3b-2d1c0b9a8877
///
/// Identifiers that are sorted by their text forms are also sorted by their milliseconds.
public struct UUIDv7: BitwiseCopyable, Hashable, Sendable {
  /// The first eight bytes: milliseconds, version, and 12 bits that the caller provides.
  public let high: UInt64
  /// The last eight bytes: variant, and 62 bits that the caller provides.
  public let low: UInt64

  /// Creates an identifier from its parts.
  ///
  /// - Parameters:
  ///   - milliseconds: milliseconds since 1970 or, if the date is unknown, milliseconds of a monotonic clock. Only the
  ///     low 48 bits are used.
  ///   - first: the bits after the version. Only the low 12 bits are used.
  ///   - rest: the bits after the variant. Only the low 62 bits are used.
  public init(milliseconds: UInt64, first: UInt64, rest: UInt64) {
    high = milliseconds << 16 | 0x7000 | first & 0x0FFF
    low = 1 << 63 | rest & 0x3FFF_FFFF_FFFF_FFFF
  }

  /// Creates an identifier whose 74 bits after the version and the variant are computed from a seed and a number. Equal
  /// arguments give equal identifiers.
  public init(milliseconds: UInt64, seed: UInt64, number: UInt64) {
    let mixed = Mixing.mix(seed &+ Mixing.mix(number &+ Mixing.increment))
    self.init(milliseconds: milliseconds, first: mixed >> 52, rest: Mixing.mix(mixed &+ Mixing.increment))
  }

  /// Parses the text form in upper or lower case; `nil` if it is not a UUID of version 7.
  public init?(_ text: Span<UInt8>) {
    guard text.count == 36 else { return nil }
    var words: (high: UInt64, low: UInt64) = (0, 0)
    for index in 0..<36 {
      let byte = text[index]
      if Self.isHyphen(index) {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      guard let nibble = hexValue(byte) else { return nil }
      words.high = words.high << 4 | words.low >> 60
      words.low = words.low << 4 | UInt64(nibble)
    }
    guard words.high >> 12 & 0xF == 7, words.low >> 62 == 2 else { return nil }
    (high, low) = words
  }

  /// The low 48 bits of the milliseconds with which the identifier was created.
  public var milliseconds: UInt64 { high >> 16 }

  /// The text form: 36 lower-case characters.
  public var text: InlineArray<36, UInt8> {
    var out = InlineArray<36, UInt8>(repeating: UInt8(ascii: "-"))
    var span = out.mutableSpan
    // Every value of a byte is a valid UInt8, and each store checks the bounds.
    var bytes = unsafe span.mutableBytes
    let parts = (Self.digits(high >> 32), Self.digits(high), Self.digits(low >> 32), Self.digits(low))
    bytes.storeBytes(of: parts.0, toByteOffset: 0, as: UInt64.self)
    bytes.storeBytes(of: UInt32(truncatingIfNeeded: parts.1), toByteOffset: 9, as: UInt32.self)
    bytes.storeBytes(of: UInt32(truncatingIfNeeded: parts.1 >> 32), toByteOffset: 14, as: UInt32.self)
    bytes.storeBytes(of: UInt32(truncatingIfNeeded: parts.2), toByteOffset: 19, as: UInt32.self)
    bytes.storeBytes(of: UInt32(truncatingIfNeeded: parts.2 >> 32), toByteOffset: 24, as: UInt32.self)
    bytes.storeBytes(of: parts.3, toByteOffset: 28, as: UInt64.self)
    return out
  }

  /// Returns the eight hexadecimal digits of a number's low 32 bits, with the first digit in the lowest byte of the
  /// result.
  private static func digits(_ number: UInt64) -> UInt64 {
    // Distribute the number's digits to the eight bytes, four bits each, with the highest digit in the highest byte.
    var spread = number & 0xFFFF_FFFF
    spread = (spread | spread << 16) & 0x0000_FFFF_0000_FFFF
    spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FF
    spread = (spread | spread << 4) & 0x0F0F_0F0F_0F0F_0F0F
    // Digits from 10 become letters, which come 39 characters later than digits would: 9 is 57, and a is 97.
    let letters = (spread &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return (spread &+ 0x3030_3030_3030_3030 &+ letters &* 39).byteSwapped
  }

  private static func isHyphen(_ place: Int) -> Bool { place == 8 || place == 13 || place == 18 || place == 23 }
}

extension UUIDv7: JSONLineValue {
  public func write(to line: inout JSONLineEncoder) -> Bool {
    let text = text
    return line.value(text.span)
  }
}

/// The finalizer of SplitMix64, which spreads the bits of a number over all 64 and maps different numbers to different
/// results. Identifiers that are made with it differ from each other, but can be guessed.
enum Mixing {
  static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

  static func mix(_ number: UInt64) -> UInt64 {
    var bits = number
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits >> 31
  }
}

private func hexValue(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
  default: nil
  }
}
