/// Conversions to 64 bits that allocate no memory on 32-bit machines. There, the standard library's generic
/// `UInt64.init(_:)` links an allocator (Swift 6.3), which this module must not use.
extension UInt64 {
  @inline(__always)
  init(low: UInt32, high: UInt32 = 0) {
    // A pair of 32-bit halves is converted to a UInt64, which has the same size and alignment.
    self = UInt64(littleEndian: unsafe unsafeBitCast(SIMD2(low.littleEndian, high.littleEndian), to: UInt64.self))
  }

  /// Converts a number of bytes.
  @inline(__always)
  init(count: Int) {
    self.init(low: UInt32(truncatingIfNeeded: count), high: UInt32(truncatingIfNeeded: (count >> 16) >> 16))
  }
}

extension Int64 {
  @inline(__always)
  init(widening value: UInt32) { self = Int64(bitPattern: UInt64(low: value)) }
}
