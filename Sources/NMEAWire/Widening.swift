/// Conversions to 64 bits that also compile for machines of 32 bits under the rules of this module: there, the standard
/// library's generic `UInt64.init(_:)` brings an allocator with it (Swift 6.3).
extension UInt64 {
  @inline(__always)
  init(low: UInt32, high: UInt32 = 0) {
    // Two halves of four bytes are a UInt64 of the same alignment.
    self = UInt64(littleEndian: unsafe unsafeBitCast(SIMD2(low.littleEndian, high.littleEndian), to: UInt64.self))
  }

  /// A count of bytes.
  @inline(__always)
  init(count: Int) {
    self.init(low: UInt32(truncatingIfNeeded: count), high: UInt32(truncatingIfNeeded: (count >> 16) >> 16))
  }
}

extension Int64 {
  @inline(__always)
  init(widening value: UInt32) { self = Int64(bitPattern: UInt64(low: value)) }
}
