// Nearly all text in records is plain: keys, identifiers, names. It is copied whole, eight bytes at a time, and looked
// through on the way for what would need an escape; only where there is such a byte is it gone through one by one.
extension JSONLineEncoder {
  /// Copies text that needs no escape; the caller has made sure of room for all of it.
  ///
  /// - Returns: false where a byte of it does: nothing was written then.
  @inline(__always)
  mutating func putPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let source = text.baseAddress else { return true }
    let length = text.count
    let from = unsafe UnsafeRawPointer(source)
    // No store below ends behind `length` bytes.
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
      // The last eight, of which some may have been copied already.
      let word = unsafe from.loadUnaligned(fromByteOffset: length &- 8, as: UInt64.self)
      unsafe to.storeBytes(of: word, toByteOffset: length &- 8, as: UInt64.self)
      found |= attention(word)
    } else if length >= 4 {
      // The same with four, for short words.
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
        // Seven letters beside it, so that it is a word like the others.
        found |= attention(UInt64(byte) | 0x6161_6161_6161_6100)
        index &+= 1
      }
    }
    guard found & 0x8080_8080_8080_8080 == 0 else { return false }
    count &+= length
    return true
  }
}

/// The high bit of some byte is set when one of the eight is a control character, a quote, a backslash or not ASCII, and of
/// none otherwise.
///
/// Each byte that is none of them is left, by each of the three subtractions, as a number from 0 to 7E that borrows
/// nothing from its neighbour.
@inline(__always)
private func attention(_ word: UInt64) -> UInt64 {
  let ones: UInt64 = 0x0101_0101_0101_0101
  let quote = word ^ ones &* UInt64(UInt8(ascii: "\""))
  let backslash = word ^ ones &* UInt64(UInt8(ascii: "\\"))
  return word | (word &- ones &* 0x20) | (quote &- ones) | (backslash &- ones)
}
