/// What a line that is not data says: one of the adapter's own words.
///
///     SEARCHING...UNABLE TO CONNECT
///     BUS INIT: ...ERROR
///     7E8 06 41 00 BE 3F A8 13 <RX ERROR
///
/// Spaces do not count (ATS0 removes them from some firmwares' words too), nor does case.
///
/// All that looks at the characters is `mutating`, though nothing changes: a borrowed value's array is copied whole each
/// time that it is looked into.
struct AdapterText: ~Copyable {
  private static let capacity = 96

  /// The line without spaces and noise, in upper case.
  private var text = InlineArray<96, UInt8>(repeating: 0)
  private var length = 0
  /// Which letters stand in it, A the lowest bit: most words are ruled out by their first one.
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

  /// The error that the words report; nil where they report none.
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

  /// `ELM327 v1.5`, also with a vendor's words around it.
  var isBanner: Bool {
    mutating get {
      contains("ELM327") || contains("ELM320") || contains("ELM329") || hasPrefix("STN1") || hasPrefix("STN2")
    }
  }

  /// A word that answers a question to the adapter, for dialogues whose commands are not known.
  var isKnownAnswer: Bool {
    mutating get {
      isBanner || hasPrefix("OBD") || hasPrefix("AUTO,") || hasPrefix("ISO") || hasPrefix("SAEJ")
        || hasPrefix("SCANTOOL")
        || hasPrefix("USER")
    }
  }

  /// `OK` alone.
  var isOK: Bool { mutating get { length == 2 && hasPrefix("OK") } }

  /// Words that come before data while the adapter looks for the bus, with nothing behind: `SEARCHING...`,
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

  /// `BUS INIT`: only a K-line is initialised (ISO 9141-2, ISO 14230-2).
  var isBusInit: Bool { mutating get { contains("BUSINIT") } }

  /// `14.1V`: volts ×1000, or nil.
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

  /// The line is the beginning of the word, cut short by at least one character.
  private mutating func isCutShort(_ word: StaticString, least: Int) -> Bool {
    guard length >= least, length < word.utf8CodeUnitCount else { return false }
    for i in 0..<length where text[i] != word[byte: i] { return false }
    return true
  }
}
