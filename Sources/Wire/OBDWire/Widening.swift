/// Conversions to 64 bits that do not allocate memory on 32-bit machines. There, the standard library's generic
/// `UInt64.init(_:)`, and shifts by numbers of other types, need an allocator (Swift 6.3), which this module must not
/// use.
///
/// NMEAWire has a copy of these few lines, because neither module imports anything.
extension UInt64 {
  @inline(__always)
  init(low: UInt32, high: UInt32 = 0) {
    // Two halves of four bytes each have the size and the alignment of a UInt64.
    self = UInt64(littleEndian: unsafe unsafeBitCast(SIMD2(low.littleEndian, high.littleEndian), to: UInt64.self))
  }

  @inline(__always)
  init(byte: UInt8) { self.init(low: UInt32(byte)) }

  /// Converts a number of bytes.
  @inline(__always)
  init(count: Int) {
    self.init(low: UInt32(truncatingIfNeeded: count), high: UInt32(truncatingIfNeeded: (count >> 16) >> 16))
  }
}

extension Double {
  /// Converts a byte or a word of an answer.
  @inline(__always)
  init(word: UInt16) { self = Double(Int(word)) }
}
