/// The bytes of one text line of hexadecimal digits, with the identifier and the DLC if the grouping of the digits
/// shows them.
///
///     7E8 04 41 0C 1A F8        a first group of three digits: an 11-bit identifier
///     7E8 8 04 41 0C 1A F8      with the DLC digit (ATD1)
///     7E804410C1AF8             the same without spaces: an odd number of digits
///     18 DA F1 10 04 41 0C …    pairs: 29-bit identifier, legacy header, or data alone
struct HexLine: ~Copyable {
  /// Maximum number of bytes in a text line of 1,024 characters.
  static let capacity = 512

  var bytes = InlineArray<512, UInt8>(repeating: 0)
  var count = 0
  /// Value of the first group of digits if this group has three digits, like an 11-bit identifier.
  var identifier: UInt16 = 0
  /// The three characters of ``identifier`` if ``readWords(_:from:)`` has read it, with the first character in the
  /// lowest byte; `UInt32.max` if another function has set it.
  var identifierText = UInt32.max
  var hasIdentifier = false
  /// The data length code (DLC): the value of the single digit between the identifier and the data bytes.
  private(set) var dataLengthCode: UInt8 = 0
  var hasDataLengthCode = false
  /// Whether ``readWords(_:from:)`` assumes that the next answer without spaces begins with an identifier.
  var expectsIdentifier = true
  /// Whether spaces separate the digits.
  var isSpaced = false
  /// Index of the text line's first digit, for offsets in errors.
  var start = 0

  /// Reads a text line of digits and spaces. The spaces may be at any place at which the meaning is unambiguous.
  ///
  /// - Returns: `false` if the text line contains another character, or a space within a byte.
  mutating func read(_ line: Span<UInt8>, from first: Int, to end: Int) -> Bool {
    var digits = 0
    var tokens = 0
    var tokenDigits = 0
    var firstToken = 0
    var secondToken = 0
    var fifthToken = 0
    var oddTokens = 0
    // Number of groups of three or five digits. Such a group contains an identifier, alone (7E9) or after a byte
    // (137E9).
    var identifierTokens = 0
    start = first
    for i in first...end {
      let isDigit = i < end && Hex.value(line[i]) < 16
      if isDigit {
        tokenDigits += 1
        digits += 1
        continue
      }
      guard i == end || line[i] == space else { return false }
      guard tokenDigits > 0 else { continue }
      tokens += 1
      if tokens == 1 { firstToken = tokenDigits }
      if tokens == 2 { secondToken = tokenDigits }
      if tokens == 5 { fifthToken = tokenDigits }
      if tokenDigits & 1 == 1 {
        oddTokens += 1
        if tokenDigits == 3 || tokenDigits == 5 { identifierTokens += 1 }
      }
      tokenDigits = 0
    }
    guard digits > 0, digits <= 2 * Self.capacity else { return false }
    isSpaced = tokens > 1
    hasIdentifier = false
    hasDataLengthCode = false
    let holdsSeveralFrames = firstToken == 3 && identifierTokens > 1 && identifierTokens == oddTokens
    if tokens == 1 || holdsSeveralFrames {
      // One group with an odd number of digits, perhaps with spaces in it: an identifier of three digits and then pairs
      // of digits, or a length such as `014`.
      isSpaced = false
      if digits & 1 == 1 {
        guard digits >= 3 else { return false }
        hasIdentifier = true
      }
      fill(line, from: first, to: end, identifierDigits: hasIdentifier ? 3 : 0, lengthCodeAt: -1)
      return true
    }
    if firstToken == 3 {
      hasIdentifier = true
      hasDataLengthCode = secondToken == 1
      guard oddTokens == (hasDataLengthCode ? 2 : 1) else { return false }
      fill(line, from: first, to: end, identifierDigits: 3, lengthCodeAt: hasDataLengthCode ? 3 : -1)
      return true
    }
    // A 29-bit identifier may be followed by the DLC digit: `18 DA F1 10 8 04 …` or `18DAF110 8 04 …`.
    let lengthCodeAt = firstToken == 8 && secondToken == 1 || firstToken == 2 && fifthToken == 1 ? 8 : -1
    hasDataLengthCode = lengthCodeAt >= 0
    guard oddTokens == (hasDataLengthCode ? 1 : 0) else { return false }
    fill(line, from: first, to: end, identifierDigits: 0, lengthCodeAt: lengthCodeAt)
    return true
  }

  /// Sets bytes that are not the content of a whole text line: they were collected from several text lines, or are one
  /// of several frames in a text line.
  mutating func set(_ source: Span<UInt8>) {
    count = min(source.count, Self.capacity)
    for i in 0..<count { bytes[i] = source[i] }
    hasIdentifier = false
    hasDataLengthCode = false
    isSpaced = true
    start = 0
  }

  /// Reads the digits again as a 29-bit identifier, a DLC digit and data: `18DAF110` `8` `0441…` without spaces.
  ///
  /// - Returns: `false` if the digits do not match this format.
  mutating func rereadWithLengthCode(_ line: Span<UInt8>) -> Bool {
    guard hasIdentifier, !isSpaced, count >= 4 else { return false }
    hasIdentifier = false
    hasDataLengthCode = true
    fill(line, from: start, to: line.count, identifierDigits: 0, lengthCodeAt: 8)
    return true
  }

  /// Returns the index of a digit in the text line, for errors. Digits are counted from 0, beginning with the
  /// identifier or, if there is none, with the first byte.
  mutating func characterOffset(ofDigit wanted: Int, in line: Span<UInt8>) -> UInt16 {
    var seen = 0
    var i = start
    while i < line.count {
      if Hex.value(line[i]) < 16 {
        if seen == wanted { return UInt16(truncatingIfNeeded: i) }
        seen += 1
      }
      i += 1
    }
    return UInt16(truncatingIfNeeded: line.count)
  }

  /// Returns the index of a byte's first digit in the text line.
  mutating func characterOffset(ofByte index: Int, in line: Span<UInt8>) -> UInt16 {
    characterOffset(ofDigit: digitIndex(ofByte: index), in: line)
  }

  /// Returns how many digits precede a byte. Spaces are not counted.
  mutating func digitIndex(ofByte index: Int) -> Int {
    let before = (hasIdentifier ? 3 : 0) + (hasDataLengthCode && (hasIdentifier || index >= 4) ? 1 : 0)
    return before + 2 * index
  }

  private mutating func fill(
    _ line: Span<UInt8>, from first: Int, to end: Int, identifierDigits: Int, lengthCodeAt: Int
  ) {
    var digit = 0
    var n = 0
    var high: UInt8 = 0
    var isLow = false
    identifier = 0
    identifierText = .max
    for i in first..<end {
      let value = Hex.value(line[i])
      guard value < 16 else { continue }
      if digit < identifierDigits {
        identifier = identifier << 4 | UInt16(value)
      } else if digit == lengthCodeAt {
        dataLengthCode = value
      } else if isLow {
        bytes[n] = high << 4 | value
        n += 1
        isLow = false
      } else {
        high = value
        isLow = true
      }
      digit += 1
    }
    count = n
  }
}

let space = UInt8(ascii: " ")
let carriageReturn = UInt8(ascii: "\r")
let lineFeed = UInt8(ascii: "\n")
let promptCharacter = UInt8(ascii: ">")
