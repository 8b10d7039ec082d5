// Most text in records needs no escapes: keys, identifiers, names. It is copied eight bytes at a time and checked on
// the way. Only text with a byte that needs an escape is written byte by byte.
extension JSONLineEncoder {
  /// Copies text that needs no escape. The caller reserves the room.
  ///
  /// - Returns: `false` if a byte needs an escape. Nothing is written then.
  @inline(__always)
  mutating func putPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let source = text.baseAddress else { return true }
    let length = text.count
    let from = unsafe UnsafeRawPointer(source)
    // No store below writes beyond `length` bytes.
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
      // Copy the last eight bytes. Some of them may have been copied already.
      let word = unsafe from.loadUnaligned(fromByteOffset: length &- 8, as: UInt64.self)
      unsafe to.storeBytes(of: word, toByteOffset: length &- 8, as: UInt64.self)
      found |= attention(word)
    } else if length >= 4 {
      // Do the same with four bytes for short texts.
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
        // Add seven letters to make it a whole word.
        found |= attention(UInt64(byte) | 0x6161_6161_6161_6100)
        index &+= 1
      }
    }
    guard found & 0x8080_8080_8080_8080 == 0 else { return false }
    count &+= length
    return true
  }
}

/// Returns a word with a high bit set if any of its eight bytes is a control character, a quote, a backslash or not
/// ASCII. Otherwise, all high bits are 0.
///
/// For every other byte, the three subtractions and the addition yield 0 to 7F, without a carry or borrow between
/// bytes.
@inline(__always)
private func attention(_ word: UInt64) -> UInt64 {
  let ones: UInt64 = 0x0101_0101_0101_0101
  let quote = word ^ ones &* UInt64(UInt8(ascii: "\""))
  let backslash = word ^ ones &* UInt64(UInt8(ascii: "\\"))
  return word | (word &- ones &* 0x20) | (word &+ ones) | (quote &- ones) | (backslash &- ones)
}
