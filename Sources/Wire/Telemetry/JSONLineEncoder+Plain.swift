// Most text in records, such as keys, identifiers and names, contains no byte that needs an escape sequence. It is
// therefore copied and checked eight bytes at a time. Only text with such a byte is written byte by byte.
extension JSONLineEncoder {
  /// Copies text that needs no escape sequence. The caller must have reserved room for it.
  ///
  /// - Returns: `false` if a byte needs an escape sequence. Nothing is written then.
  @inline(__always)
  mutating func putPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let source = text.baseAddress else { return true }
    let length = text.count
    let from = unsafe UnsafeRawPointer(source)
    // None of the stores below writes beyond `length` bytes.
    let to = unsafe UnsafeMutableRawPointer(base + count)
    var found: UInt64 = 0
    if length >= 8 {
      var index = 0
      while index < length &- 8 {
        let word = unsafe from.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        unsafe to.storeBytes(of: word, toByteOffset: index, as: UInt64.self)
        found |= attention(word)
        index &+= 8
      }
      // Copy the last eight bytes together, even if some of them were copied already.
      let word = unsafe from.loadUnaligned(fromByteOffset: length &- 8, as: UInt64.self)
      unsafe to.storeBytes(of: word, toByteOffset: length &- 8, as: UInt64.self)
      found |= attention(word)
    } else if length >= 4 {
      // Copy short texts in the same way, four bytes at a time.
      let low = unsafe from.loadUnaligned(as: UInt32.self)
      let high = unsafe from.loadUnaligned(fromByteOffset: length &- 4, as: UInt32.self)
      unsafe to.storeBytes(of: low, as: UInt32.self)
      unsafe to.storeBytes(of: high, toByteOffset: length &- 4, as: UInt32.self)
      found = attention(UInt64(high) &<< 32 | UInt64(low))
    } else {
      var index = 0
      while index < length {
        let byte = unsafe source[index]
        unsafe to.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
        // Add seven letters, so that the byte is part of a whole word.
        found |= attention(UInt64(byte) | 0x6161_6161_6161_6100)
        index &+= 1
      }
    }
    guard found & 0x8080_8080_8080_8080 == 0 else { return false }
    count &+= length
    return true
  }
}

/// Returns a word with a high bit set if any of the eight bytes of `word` is a control character, a quote, a backslash
/// or not ASCII. Otherwise, all high bits are 0.
///
/// For any other ASCII character, the three subtractions and the addition yield 0 to 0x7F, without a carry or borrow
/// between bytes.
@inline(__always)
private func attention(_ word: UInt64) -> UInt64 {
  let ones: UInt64 = 0x0101_0101_0101_0101
  let quote = word ^ ones &* UInt64(UInt8(ascii: "\""))
  let backslash = word ^ ones &* UInt64(UInt8(ascii: "\\"))
  return word | (word &- ones &* 0x20) | (word &+ ones) | (quote &- ones) | (backslash &- ones)
}
