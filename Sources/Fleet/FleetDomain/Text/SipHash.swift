/// SipHash-2-4: a keyed hash of 64 bits (Aumasson, Bernstein 2012).
struct SipHash: Sendable {
  private let key: (UInt64, UInt64)

  init(key: (UInt64, UInt64)) { self.key = key }

  func hash(_ bytes: Span<UInt8>) -> UInt64 {
    var state = State(key)
    let whole = bytes.count & ~7
    var index = 0
    while index < whole {
      state.append(Self.word(bytes, index, count: 8))
      index += 8
    }
    state.append(Self.word(bytes, whole, count: bytes.count - whole) | UInt64(bytes.count & 0xFF) << 56)
    return state.finish()
  }

  /// Returns `count` bytes as a little-endian number.
  private static func word(_ bytes: Span<UInt8>, _ start: Int, count: Int) -> UInt64 {
    var word: UInt64 = 0
    for step in 0..<count { word |= UInt64(bytes[start + step]) << UInt64(8 * step) }
    return word
  }

  private struct State {
    var v0, v1, v2, v3: UInt64

    init(_ key: (UInt64, UInt64)) {
      v0 = key.0 ^ 0x736F_6D65_7073_6575
      v1 = key.1 ^ 0x646F_7261_6E64_6F6D
      v2 = key.0 ^ 0x6C79_6765_6E65_7261
      v3 = key.1 ^ 0x7465_6462_7974_6573
    }

    mutating func append(_ word: UInt64) {
      v3 ^= word
      round()
      round()
      v0 ^= word
    }

    mutating func finish() -> UInt64 {
      v2 ^= 0xFF
      for _ in 0..<4 { round() }
      return v0 ^ v1 ^ v2 ^ v3
    }

    private mutating func round() {
      v0 &+= v1
      v1 = Self.rotated(v1, 13) ^ v0
      v0 = Self.rotated(v0, 32)
      v2 &+= v3
      v3 = Self.rotated(v3, 16) ^ v2
      v0 &+= v3
      v3 = Self.rotated(v3, 21) ^ v0
      v2 &+= v1
      v1 = Self.rotated(v1, 17) ^ v2
      v2 = Self.rotated(v2, 32)
    }

    private static func rotated(_ word: UInt64, _ bits: UInt64) -> UInt64 { word << bits | word >> (64 - bits) }
  }
}
