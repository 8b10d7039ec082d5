// Reads and writes bytes eight or four at a time.

extension Span<UInt8> {
  /// Returns eight bytes as one word. The first byte is the lowest byte of the word. Bytes after the end are 0.
  @inline(__always)
  func word(at index: Int) -> UInt64 {
    guard index &+ 8 <= count else { return endWord(at: index) }
    // These eight bytes exist, and any eight bytes are a valid UInt64.
    return UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self))
  }

  /// Returns eight bytes as one word. Some of them are after the end of the span, and count as 0.
  @inline(__always)
  private func endWord(at index: Int) -> UInt64 {
    let missing = index &+ 8 &- count
    guard missing < 8 else { return 0 }
    if count >= 8 {
      // The last eight bytes exist. Load them, and shift out those before the index.
      let last = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: count &- 8, as: UInt64.self)
      return UInt64(littleEndian: last) &>> UInt64(low: UInt32(truncatingIfNeeded: missing &* 8))
    }
    var word: UInt64 = 0
    var i = count &- 1
    while i >= index {
      word = word &<< 8 | UInt64(byte: self[i])
      i &-= 1
    }
    return word
  }
}

extension InlineArray where Element == UInt8 {
  /// Stores four bytes. The first byte is the lowest byte of `fourBytes`.
  ///
  /// - Precondition: the array has at least four bytes from `index` on.
  @inline(__always)
  mutating func store(_ fourBytes: UInt32, at index: Int) {
    precondition(index <= Self.count &- 4)
    var span = mutableSpan
    var raw = unsafe span.mutableBytes
    unsafe raw.storeBytes(of: fourBytes.littleEndian, toUncheckedByteOffset: index, as: UInt32.self)
  }

  /// Copies bytes to an index. Up to seven bytes after them are overwritten with undefined values.
  ///
  /// - Precondition: from `index` on, the array has at least `count` bytes, rounded up to a multiple of eight.
  @inline(__always)
  mutating func copy(_ source: Span<UInt8>, from first: Int, count: Int, to index: Int = 0) {
    precondition(index &+ (count &+ 7) & ~7 <= Self.count)
    var span = mutableSpan
    var raw = unsafe span.mutableBytes
    var i = 0
    while i < count {
      unsafe raw.storeBytes(
        of: source.word(at: first &+ i).littleEndian, toUncheckedByteOffset: index &+ i, as: UInt64.self)
      i &+= 8
    }
  }
}
