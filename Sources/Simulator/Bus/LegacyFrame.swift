/// Frames of the buses before CAN: three header bytes, up to seven data bytes, one check byte.
///
///     48 6B 10 41 0C 1A F8 2A     ISO 9141-2: the check is the sum of all bytes before it
///     84 F1 10 41 0C 1A F8 E4     KWP: the length stands in the first byte
///     48 6B 10 41 0C 1A F8 xx     J1850: the check is a CRC
enum LegacyFrame {
  /// An answer of the ECU `source` to a functional question (or to a physical one).
  static func answer(_ data: [UInt8], from source: UInt8, on bus: Bus, isPhysical: Bool) -> [UInt8] {
    let header: [UInt8] =
      switch bus {
      // Above 63 bytes the length has a byte of its own (ISO 14230-2, 4.2).
      case .kwpFast, .kwpSlow:
        data.count > 63
          ? [0x80, tester, source, UInt8(truncatingIfNeeded: data.count)]
          : [0x80 | UInt8(data.count), tester, source]
      case .j1850pwm: isPhysical ? [0x4C, tester, source] : [0x41, 0x6B, source]
      default: isPhysical ? [0x4C, tester, source] : [0x48, 0x6B, source]
      }
    let frame = header + data
    return frame + [bus.isJ1850 ? crc(frame) : sum(frame)]
  }

  /// How many bytes stand in front of the data.
  static func headerLength(_ frame: [UInt8], on bus: Bus) -> Int {
    bus.isKWP && frame.first.map { $0 & 0x3F == 0 } ?? false ? 4 : 3
  }

  /// The most data bytes of one answer.
  static func longest(on bus: Bus) -> Int { bus.isKWP ? 255 : 7 }

  /// The tester's own address on every one of these buses.
  static let tester: UInt8 = 0xF1

  /// ISO 9141-2 and ISO 14230-2: the sum of all bytes, modulo 256.
  static func sum(_ bytes: [UInt8]) -> UInt8 { bytes.reduce(0, &+) }

  /// SAE J1850: x⁸ + x⁴ + x³ + x² + 1, preset to ones, the remainder inverted. Bit by bit: it is no decoder's table.
  static func crc(_ bytes: [UInt8]) -> UInt8 {
    var remainder: UInt8 = 0xFF
    for byte in bytes {
      remainder ^= byte
      for _ in 0..<8 { remainder = remainder & 0x80 == 0 ? remainder << 1 : remainder << 1 ^ 0x1D }
    }
    return ~remainder
  }
}
