/// XXH64 hash of the content of a capture, by which the capture is identified. The hash must be computed before the
/// first record is made, and takes about 1 ms for 8 MiB.
///
/// The algorithm is the 64-bit variant of Yann Collet's xxHash with seed 0. It mixes stripes of 32 bytes into four
/// accumulators, then the remaining bytes in steps of 8, 4 and 1 bytes. Finally, it mixes the bits of the result (the
/// avalanche). The value does not depend on how the content is divided into calls of ``update(_:)``. It is not a
/// cryptographic hash.
public struct ContentHash: Sendable {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  private var a = prime1 &+ prime2
  private var b = prime2
  private var c: UInt64 = 0
  private var d = 0 &- prime1
  private var total: UInt64 = 0
  /// Bytes at the end that do not fill a stripe of 32 bytes yet.
  private var rest = InlineArray<32, UInt8>(repeating: 0)
  private var restCount = 0

  /// Creates the hash of an empty content.
  public init() {}

  /// Adds the next bytes.
  public mutating func update(_ bytes: Span<UInt8>) {
    total &+= UInt64(bytes.count)
    var i = 0
    while restCount > 0, i < bytes.count {
      rest[restCount] = bytes[i]
      restCount += 1
      i += 1
      if restCount == 32 {
        let whole = rest
        unsafe stripe(whole.span.bytes, 0)
        restCount = 0
      }
    }
    let raw = unsafe bytes.bytes
    while bytes.count - i >= 32 {
      stripe(raw, i)
      i += 32
    }
    while i < bytes.count {
      rest[restCount] = bytes[i]
      restCount += 1
      i += 1
    }
  }

  /// The hash of all bytes so far.
  public var value: UInt64 {
    var hash: UInt64
    if total >= 32 {
      hash = Self.rotate(a, 1) &+ Self.rotate(b, 7) &+ Self.rotate(c, 12) &+ Self.rotate(d, 18)
      hash = Self.merge(hash, a)
      hash = Self.merge(hash, b)
      hash = Self.merge(hash, c)
      hash = Self.merge(hash, d)
    } else {
      hash = Self.prime5
    }
    hash &+= total
    return avalanche(finishing(hash))
  }

  /// Returns the hash after mixing in the bytes at the end that do not fill a stripe.
  private func finishing(_ start: UInt64) -> UInt64 {
    var hash = start
    let raw = unsafe rest.span.bytes
    var i = 0
    while restCount - i >= 8 {
      hash ^= Self.round(0, Self.word(raw, i))
      hash = Self.rotate(hash, 27) &* Self.prime1 &+ Self.prime4
      i += 8
    }
    if restCount - i >= 4 {
      let half = unsafe UInt32(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: i, as: UInt32.self))
      hash ^= UInt64(half) &* Self.prime1
      hash = Self.rotate(hash, 23) &* Self.prime2 &+ Self.prime3
      i += 4
    }
    while i < restCount {
      hash ^= UInt64(rest[i]) &* Self.prime5
      hash = Self.rotate(hash, 11) &* Self.prime1
      i += 1
    }
    return hash
  }

  private func avalanche(_ start: UInt64) -> UInt64 {
    var hash = start
    hash = (hash ^ hash >> 33) &* Self.prime2
    hash = (hash ^ hash >> 29) &* Self.prime3
    return hash ^ hash >> 32
  }

  private mutating func stripe(_ raw: RawSpan, _ offset: Int) {
    a = Self.round(a, Self.word(raw, offset))
    b = Self.round(b, Self.word(raw, offset + 8))
    c = Self.round(c, Self.word(raw, offset + 16))
    d = Self.round(d, Self.word(raw, offset + 24))
  }

  private static func round(_ accumulator: UInt64, _ input: UInt64) -> UInt64 {
    rotate(accumulator &+ input &* prime2, 31) &* prime1
  }

  private static func merge(_ hash: UInt64, _ accumulator: UInt64) -> UInt64 {
    (hash ^ round(0, accumulator)) &* prime1 &+ prime4
  }

  private static func rotate(_ value: UInt64, _ bits: UInt64) -> UInt64 { value << bits | value >> (64 - bits) }

  private static func word(_ raw: RawSpan, _ offset: Int) -> UInt64 {
    unsafe UInt64(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}
