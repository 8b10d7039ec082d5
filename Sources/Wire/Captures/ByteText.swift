import Glibc

/// Functions for text that is given as bytes.
extension Span where Element == UInt8 {
  /// Returns the first index of a byte at or after `start`; `nil` if not found.
  func index(of byte: UInt8, from start: Int = 0) -> Int? {
    guard start < count else { return nil }
    return unsafe withUnsafeBufferPointer { buffer -> Int? in
      guard let base = buffer.baseAddress, let found = unsafe memchr(base + start, Int32(byte), count - start) else {
        return nil
      }
      return unsafe UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }
  }

  /// Whether the characters of `text` are in this span, beginning at `index`.
  func has(_ text: StaticString, at index: Int = 0) -> Bool {
    let length = text.utf8CodeUnitCount
    guard index >= 0, count - index >= length else { return false }
    let start = unsafe text.utf8Start
    for i in 0..<length where unsafe self[index + i] != start[i] { return false }
    return true
  }

  /// Whether the characters of `text` are in this span, beginning at `index`, ignoring the case of ASCII letters.
  /// `text` must be in upper case.
  func hasIgnoringCase(_ text: StaticString, at index: Int = 0) -> Bool {
    let length = text.utf8CodeUnitCount
    guard index >= 0, count - index >= length else { return false }
    let start = unsafe text.utf8Start
    for i in 0..<length where unsafe self[index + i].asciiUppercased != start[i] { return false }
    return true
  }

  /// Returns the first index of `text` at or after `start`; `nil` if not found.
  func index(of text: StaticString, from start: Int = 0) -> Int? {
    let first = unsafe text.utf8Start[0]
    var from = start
    while let found = index(of: first, from: from) {
      if has(text, at: found) { return found }
      from = found + 1
    }
    return nil
  }

  /// Returns the index of the first byte at or after `start` that is not a space or tab; `count` if there is none.
  func skippingBlanks(from start: Int) -> Int {
    var i = start
    while i < count, self[i].isBlank { i += 1 }
    return i
  }

  /// Returns the bytes without spaces, tabs and CRs at the end.
  @_lifetime(copy self)
  func trimmingEnd() -> Span<UInt8> {
    var end = count
    while end > 0, self[end - 1].isBlank || self[end - 1] == 0x0D { end -= 1 }
    return extracting(first: end)
  }

  /// Returns the bytes; if the last byte is a CR, without this byte.
  @_lifetime(copy self)
  func droppingCR() -> Span<UInt8> {
    count > 0 && self[count - 1] == 0x0D ? extracting(first: count - 1) : extracting(first: count)
  }
}

extension UInt8 {
  var isDigit: Bool { (0x30...0x39) ~= self }
  var isBlank: Bool { self == 0x20 || self == 0x09 }
  var isLetter: Bool { (0x41...0x5A) ~= self || (0x61...0x7A) ~= self }
  var isHexDigit: Bool { hexValue != nil }
  var asciiUppercased: UInt8 { (0x61...0x7A) ~= self ? self - 0x20 : self }

  /// Value of this byte as a hexadecimal digit, 0–15; `nil` if it is another character.
  var hexValue: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46: self - 0x41 + 10
    case 0x61...0x66: self - 0x61 + 10
    default: nil
    }
  }
}

/// Returns the upper-case hexadecimal digit of a value from 0 to 15.
func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x41 + value - 10 }
