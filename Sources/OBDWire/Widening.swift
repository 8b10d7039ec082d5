/// Conversions to 64 bits that also compile for machines of 32 bits under the rules of this module: there, the standard
/// library's generic `UInt64.init(_:)` and shifts by other types bring an allocator with them (Swift 6.3).
///
/// NMEAWire has the same few lines: neither of the two modules imports anything.
extension UInt64 {
  @inline(__always)
  init(low: UInt32, high: UInt32 = 0) {
    // Two halves of four bytes are a UInt64 of the same alignment.
    self = UInt64(littleEndian: unsafe unsafeBitCast(SIMD2(low.littleEndian, high.littleEndian), to: UInt64.self))
  }

  @inline(__always)
  init(byte: UInt8) { self.init(low: UInt32(byte)) }

  /// A count of bytes.
  @inline(__always)
  init(count: Int) {
    self.init(low: UInt32(truncatingIfNeeded: count), high: UInt32(truncatingIfNeeded: (count >> 16) >> 16))
  }
}

extension Double {
  /// A byte or a word of an answer.
  @inline(__always)
  init(word: UInt16) { self = Double(Int(word)) }
}
