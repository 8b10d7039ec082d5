/// Finds sentences in bytes and verifies their checksums, eight bytes at a time.
enum SentenceScanner {
  /// The result of scanning a sentence.
  enum Verdict: BitwiseCopyable {
    /// The sentence is complete and its checksum is correct. `bodyEnd` is the index of its `*`.
    case whole(bodyEnd: Int)
    /// The bytes are the beginning of a sentence that may be valid.
    case incomplete
    case rejected(RejectReason)
  }

  struct Result: BitwiseCopyable {
    var verdict: Verdict
    /// Index from which to search for the next `$`.
    var end: Int
  }

  /// Returns the index of the next `$`; `nil` if there is none.
  @inline(__always)
  static func start(in bytes: Span<UInt8>, from first: Int) -> Int? {
    var index = first
    // Usually CR, LF and the next sentence follow a sentence. Check that first.
    if first &+ 2 < bytes.count, bytes[first &+ 2] == dollar, bytes[first] != dollar, bytes[first &+ 1] != dollar {
      return first &+ 2
    }
    let raw = unsafe bytes.bytes
    while index &+ 8 <= bytes.count {
      let hits = zeroBytes(word(raw, at: index) ^ repeated(dollar))
      if hits != 0 { return index &+ hits.trailingZeroBitCount &>> 3 }
      index &+= 8
    }
    while index < bytes.count {
      if bytes[index] == dollar { return index }
      index &+= 1
    }
    return nil
  }

  /// Scans the sentence that begins with the `$` at `start` and may have at most `maximumLength` bytes.
  @inline(__always)
  static func scan(_ bytes: Span<UInt8>, from start: Int, maximumLength: Int) -> Result {
    let limit = min(bytes.count, start + maximumLength)
    let wanting: Verdict = limit == start + maximumLength ? .rejected(.tooLong) : .incomplete
    let (stop, checksum) = fold(bytes, from: start + 1, to: limit)
    guard stop < limit else { return Result(verdict: wanting, end: limit) }
    switch bytes[stop] {
    case asterisk:
      guard stop + 1 < limit else { return Result(verdict: wanting, end: limit) }
      guard let high = hexadecimal(bytes[stop + 1]) else {
        return Result(verdict: .rejected(.malformedChecksum), end: stop + 1)
      }
      guard stop + 2 < limit else { return Result(verdict: wanting, end: limit) }
      guard let low = hexadecimal(bytes[stop + 2]) else {
        return Result(verdict: .rejected(.malformedChecksum), end: stop + 1)
      }
      guard high &<< 4 | low == checksum else { return Result(verdict: .rejected(.checksumMismatch), end: stop + 3) }
      return Result(verdict: .whole(bodyEnd: stop), end: stop + 3)
    case dollar: return Result(verdict: .rejected(.interrupted), end: stop)
    case 0x0D, 0x0A: return Result(verdict: .rejected(.missingChecksum), end: stop)
    default: return Result(verdict: .rejected(.invalidByte), end: stop)
    }
  }

  /// Whether a byte ends the text of a sentence (its body): the `*`, or a byte that is not allowed in it.
  static func isStop(_ byte: UInt8) -> Bool { byte < 0x20 || byte >= 0x7F || byte == asterisk || byte == dollar }

  private static var dollar: UInt8 { 0x24 }
  private static var asterisk: UInt8 { 0x2A }

  /// Returns the index of the first byte that ends the body, or `limit` if there is none, and the exclusive or of the
  /// bytes before it.
  @inline(__always)
  private static func fold(_ bytes: Span<UInt8>, from first: Int, to limit: Int) -> (stop: Int, checksum: UInt8) {
    let raw = unsafe bytes.bytes
    var index = first
    var sums = SIMD2<UInt64>()
    while index &+ 16 <= limit {
      let words = SIMD2(word(raw, at: index), word(raw, at: index &+ 8))
      if holdStop(words) { break }
      sums ^= words
      index &+= 16
    }
    var sum = sums[0] ^ sums[1]
    while index &+ 8 <= limit {
      let word = word(raw, at: index)
      let stops = stopBytes(word)
      if stops != 0 {
        let count = stops.trailingZeroBitCount &>> 3
        // Of the last word, use only the bytes before the one that ends the body.
        sum ^= word & ((stops & (0 &- stops)) &>> 7 &- 1)
        return (index &+ count, folded(sum))
      }
      sum ^= word
      index &+= 8
    }
    var checksum = folded(sum)
    while index < limit, !isStop(bytes[index]) {
      checksum ^= bytes[index]
      index &+= 1
    }
    return (index, checksum)
  }

  /// Whether any of 16 bytes ends a body. ``stopBytes(_:)`` then finds which one.
  ///
  /// For every byte that does not end a body, each of the sums and differences below is less than 0x80 and does not
  /// carry into the next byte.
  @inline(__always)
  private static func holdStop(_ words: SIMD2<UInt64>) -> Bool {
    let ones = SIMD2(repeated(0x01), repeated(0x01))
    let asterisks = words ^ SIMD2(repeated(asterisk), repeated(asterisk))
    let dollars = words ^ SIMD2(repeated(dollar), repeated(dollar))
    let control = words &- SIMD2(repeated(0x20), repeated(0x20))
    let found = words | (words &+ ones) | control | (asterisks &- ones) | (dollars &- ones)
    return (found[0] | found[1]) & repeated(0x80) != 0
  }

  /// Returns a word in which each byte that ends a body (``isStop(_:)``) has its high bit set.
  ///
  /// The sums use seven bits of each byte, so that they carry only into the eighth bit of the same byte.
  @inline(__always)
  private static func stopBytes(_ word: UInt64) -> UInt64 {
    let low = word & repeated(0x7F)
    let isPrintable =
      (low &+ repeated(0x60)) & ((low ^ repeated(asterisk)) &+ repeated(0x7F))
      & ((low ^ repeated(dollar)) &+ repeated(0x7F))
    return (word | (low &+ repeated(0x01)) | ~isPrintable) & repeated(0x80)
  }

  /// Returns a word in which the lowest byte that is zero in `word` has its high bit set. Bits of higher bytes may be
  /// wrong.
  @inline(__always)
  private static func zeroBytes(_ word: UInt64) -> UInt64 { (word &- repeated(0x01)) & ~word & repeated(0x80) }

  @inline(__always)
  private static func repeated(_ byte: UInt8) -> UInt64 { UInt64(low: UInt32(byte)) &* 0x0101_0101_0101_0101 }

  @inline(__always)
  private static func word(_ bytes: RawSpan, at index: Int) -> UInt64 {
    // Both loops ensure that there are eight bytes. Any eight bytes form a UInt64.
    UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self))
  }

  @inline(__always)
  private static func folded(_ word: UInt64) -> UInt8 {
    let half = word ^ word &>> 32
    let quarter = half ^ half &>> 16
    return UInt8(truncatingIfNeeded: quarter ^ quarter &>> 8)
  }

  /// Returns the value of a hexadecimal digit; `nil` for any other byte.
  @inline(__always)
  static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }
}
