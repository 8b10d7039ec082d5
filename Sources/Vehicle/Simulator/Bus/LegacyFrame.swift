/// Frames of the buses before CAN: a header of three bytes (of four for long KWP messages), the data, and one checksum
/// byte.
///
///     48 6B 10 41 0C 1A F8 22     ISO 9141-2: the checksum is the sum of all preceding bytes
///     84 F1 10 41 0C 1A F8 E4     KWP: the first byte contains the length
///     48 6B 10 41 0C 1A F8 xx     J1850: the checksum is a CRC
enum LegacyFrame {
  /// Returns the frame in which the ECU `source` sends the data of an answer.
  static func answer(_ data: [UInt8], from source: UInt8, on bus: Bus, isPhysical: Bool) -> [UInt8] {
    let header: [UInt8] =
      switch bus {
      // If there are more than 63 data bytes, the length is in a separate byte (ISO 14230-2, section 4.2).
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

  /// Returns the length of a frame's header, bytes.
  static func headerLength(_ frame: [UInt8], on bus: Bus) -> Int {
    bus.isKWP && frame.first.map { $0 & 0x3F == 0 } ?? false ? 4 : 3
  }

  /// Returns the maximum number of data bytes in one frame of an answer.
  static func longest(on bus: Bus) -> Int { bus.isKWP ? 255 : 7 }

  /// The tester's address, which is the same on all buses before CAN.
  static let tester: UInt8 = 0xF1

  /// Computes the checksum of ISO 9141-2 and ISO 14230-2: the sum of all bytes modulo 256.
  static func sum(_ bytes: [UInt8]) -> UInt8 { bytes.reduce(0, &+) }

  /// Computes the CRC of SAE J1850: polynomial x⁸ + x⁴ + x³ + x² + 1, initial value FF, result inverted. The bitwise
  /// algorithm is independent of the decoder's table.
  static func crc(_ bytes: [UInt8]) -> UInt8 {
    var remainder: UInt8 = 0xFF
    for byte in bytes {
      remainder ^= byte
      for _ in 0..<8 { remainder = remainder & 0x80 == 0 ? remainder << 1 : remainder << 1 ^ 0x1D }
    }
    return ~remainder
  }
}
