/// A text line that is not data: a message of the adapter itself.
///
///     SEARCHING...UNABLE TO CONNECT
///     BUS INIT: ...ERROR
///     7E8 06 41 00 BE 3F A8 13 <RX ERROR
///
/// Spaces and case are ignored, because with ATS0 some firmware versions also remove the spaces in their messages.
///
/// All functions that read the characters are `mutating` although they change nothing. Otherwise, the value would be
/// borrowed, and each access would copy its whole array.
struct AdapterText: ~Copyable {
  private static let capacity = 96

  /// The text line in upper case, without spaces and without characters that are ignored (``LineMachine/isNoise(_:)``).
  private var text = InlineArray<96, UInt8>(repeating: 0)
  private var length = 0
  /// The letters that occur in the text line, one bit for each; A is the lowest bit. Most words can be excluded because
  /// their first or last letter does not occur.
  private var letters: UInt32 = 0

  init(_ line: Span<UInt8>, from first: Int) {
    for i in first..<line.count {
      var c = line[i]
      if c <= space || c >= 0x7F { continue }
      if c >= UInt8(ascii: "a") && c <= UInt8(ascii: "z") { c -= 32 }
      guard length < Self.capacity else { break }
      if c >= UInt8(ascii: "A"), c <= UInt8(ascii: "Z") { letters |= 1 << UInt32(c - UInt8(ascii: "A")) }
      text[length] = c
      length += 1
    }
  }

  /// The error that the message reports; `nil` if it reports none.
  var error: WireError.Kind? {
    mutating get {
      guard length > 0 else { return nil }
      if contains("UNABLETOC") || isCutShort("UNABLETOCONNECT", least: 6) { return .unableToConnect }
      if contains("BUSINIT") && contains("ERROR") { return .busInit }
      if contains("STOPPED") { return .stopped }
      if contains("NODATA") { return .noData }
      if contains("BUSBUSY") { return .busBusy }
      if contains("BUSERROR") || contains("FBERROR") { return .busError }
      if contains("CANERROR") { return .canError }
      if contains("BUFFERFULL") { return .bufferFull }
      if contains("DATAERROR") { return .dataError }
      if contains("<RXERROR") || contains("RXERROR") { return .rxError }
      if contains("LVRESET") { return .lowVoltage }
      if contains("ACTALERT") { return .activityAlert }
      if contains("LPALERT") { return .lowPower }
      if text[0] == UInt8(ascii: "?") { return .unknownCommand }
      if contains("FCRXTIMEOUT") || contains("OUTOFMEMORY") || contains("UARTRXOVERFLOW") { return .adapterError }
      if hasPrefix("ERR") { return .adapterError }
      return nil
    }
  }

  /// Whether the message is an adapter's identification, such as `ELM327 v1.5`, perhaps with a vendor's text before or
  /// after it.
  var isBanner: Bool {
    mutating get {
      contains("ELM327") || contains("ELM320") || contains("ELM329") || hasPrefix("STN1") || hasPrefix("STN2")
    }
  }

  /// Whether the message is the adapter's answer to some command. The property is used only if the commands are not
  /// known.
  var isKnownAnswer: Bool {
    mutating get {
      isBanner || hasPrefix("OBD") || hasPrefix("AUTO,") || hasPrefix("ISO") || hasPrefix("SAEJ")
        || hasPrefix("SCANTOOL")
        || hasPrefix("USER")
    }
  }

  /// Whether the message is only `OK`.
  var isOK: Bool { mutating get { length == 2 && hasPrefix("OK") } }

  /// Whether the message contains only texts that precede the data when a bus is searched: `SEARCHING...`,
  /// `BUS INIT: OK`, dots.
  var isProgress: Bool {
    mutating get {
      var rest = 0
      while rest < length {
        let step = progressWord(at: rest)
        guard step > 0 else { return false }
        rest += step
      }
      return true
    }
  }

  /// Whether the message contains `BUS INIT`, which only a K-line needs (ISO 9141-2, ISO 14230-2).
  var isBusInit: Bool { mutating get { contains("BUSINIT") } }

  /// The voltage in mV of a message such as `14.1V`; `nil` if it is not a voltage.
  var millivolts: Int? {
    mutating get {
      var i = 0
      var value = 0
      var decimals = -1
      while i < length, decimals < 3 {
        let c = text[i]
        if c >= UInt8(ascii: "0"), c <= UInt8(ascii: "9"), value < 100_000 {
          value = value * 10 + Int(c - UInt8(ascii: "0"))
          if decimals >= 0 { decimals += 1 }
        } else if c == UInt8(ascii: "."), decimals < 0, i > 0 {
          decimals = 0
        } else {
          break
        }
        i += 1
      }
      guard decimals > 0, i == length || i == length - 1 && text[i] == UInt8(ascii: "V") else { return nil }
      for _ in decimals..<3 { value *= 10 }
      return value
    }
  }

  private mutating func progressWord(at index: Int) -> Int {
    switch text[index] {
    case UInt8(ascii: "."), UInt8(ascii: ":"): return 1
    default: break
    }
    if matches("SEARCHING", at: index) { return 9 }
    if matches("BUSINIT", at: index) { return 7 }
    return matches("OK", at: index) ? 2 : 0
  }

  private mutating func matches(_ word: StaticString, at index: Int) -> Bool {
    let count = word.utf8CodeUnitCount
    guard index + count <= length else { return false }
    for i in 0..<count where text[index + i] != word[byte: i] { return false }
    return true
  }

  private mutating func hasPrefix(_ word: StaticString) -> Bool { matches(word, at: 0) }

  private mutating func contains(_ word: StaticString) -> Bool {
    let last = length - word.utf8CodeUnitCount
    guard last >= 0, mayHold(word[byte: 0]), mayHold(word[byte: word.utf8CodeUnitCount - 1]) else { return false }
    for i in 0...last where matches(word, at: i) { return true }
    return false
  }

  private func mayHold(_ c: UInt8) -> Bool {
    guard c >= UInt8(ascii: "A"), c <= UInt8(ascii: "Z") else { return true }
    return letters >> UInt32(c - UInt8(ascii: "A")) & 1 == 1
  }

  /// Whether the text line is the beginning of `word`: at least its first `least` characters, but not the whole word.
  private mutating func isCutShort(_ word: StaticString, least: Int) -> Bool {
    guard length >= least, length < word.utf8CodeUnitCount else { return false }
    for i in 0..<length where text[i] != word[byte: i] { return false }
    return true
  }
}
