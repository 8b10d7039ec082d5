/// A fast parser for simple records: ASCII only, without escapes, without null, and without a key that occurs twice.
///
/// All other records are parsed by ``JSONText/JSONDocument``, which accepts all JSON and reports errors. That parser
/// takes three times as long, so this one is tried first.
struct RecordScanner: ~Copyable, ~Escapable {
  /// Maximum depth of nested objects and arrays. The depth of records from gateways is at most three.
  private static let maximumDepth = 16

  let bytes: Span<UInt8>
  private(set) var position: Int
  private(set) var fields = RecordFields()
  /// Whether there is a line feed inside the object.
  private(set) var hasLineFeed = false
  /// The types of records for which one of the scanned values is invalid. The record is invalid if its own type is
  /// among them.
  private(set) var wrongTypes: RecordTypes = []
  private let table = RecordFieldTable.shared
  /// Whether the object that is being scanned contains values grouped by ECU.
  private var isByECU = false
  /// The hashes of the keys that were scanned in objects whose end was not reached yet.
  private var keys = InlineArray<64, UInt32>(repeating: 0)
  private var keyCount = 0

  /// Creates a scanner.
  ///
  /// - Parameter position: the offset of the object's opening brace.
  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>, at position: Int) {
    self.bytes = bytes
    self.position = position
  }

  /// Scans the record's object. Afterwards, ``position`` is the offset after the object.
  ///
  /// - Returns: `false` if the object is not simple. The general parser must then parse it.
  mutating func scan() -> Bool { scanObject(depth: 1) }

  private mutating func scanObject(depth: Int) -> Bool {
    guard depth <= Self.maximumDepth, skipped(UInt8(ascii: "{")) else { return false }
    let firstKey = keyCount
    defer { keyCount = firstKey }
    // One bit for each hash. If the bit of a key is set already, an earlier key may have the same hash, so all hashes
    // are compared.
    var seen: (UInt64, UInt64) = (0, 0)
    skipSpace()
    if skipped(UInt8(ascii: "}")) { return true }
    while true {
      guard let name = scanString() else { return false }
      let sum = Self.sum(of: name, in: bytes)
      let bit: UInt64 = 1 << UInt64(sum & 63)
      let isSecond = sum & 64 != 0
      if (isSecond ? seen.1 : seen.0) & bit != 0 {
        for index in firstKey..<keyCount where keys[index] == sum { return false }
      }
      if isSecond { seen.1 |= bit } else { seen.0 |= bit }
      guard keyCount < 64 else { return false }
      keys[keyCount] = sum
      keyCount += 1
      skipSpace()
      guard skipped(UInt8(ascii: ":")) else { return false }
      skipSpace()
      if depth == 1 {
        guard scanMember(table.find(sum, name, in: bytes)) else { return false }
      } else if depth == 3, isByECU {
        guard scanValueOfECU(table.find(sum, name, in: bytes)) else { return false }
      } else {
        guard scanValue(depth: depth) else { return false }
      }
      skipSpace()
      if skipped(UInt8(ascii: "}")) { return true }
      guard skipped(UInt8(ascii: ",")) else { return false }
      skipSpace()
    }
  }

  /// Scans the value of a key at the record's top level.
  ///
  /// - Parameter entry: the entry of the key; `nil` if the store does not know the key.
  private mutating func scanMember(_ entry: RecordFieldTable.Entry?) -> Bool {
    guard let entry else { return scanValue(depth: 1) }
    let start = position
    guard start < bytes.count else { return false }
    switch bytes[start] {
    case UInt8(ascii: "\""):
      guard let range = scanString() else { return false }
      if let key = entry.key { fields[key] = RecordFields.Field(form: .string, range: range, offset: start) }
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      guard scanNumber() else { return false }
      if let key = entry.key { fields[key] = RecordFields.Field(form: .number, range: start..<position, offset: start) }
    default:
      isByECU = entry.isByECU
      guard scanValue(depth: 1) else { return false }
      isByECU = false
      if let key = entry.key { fields[key] = RecordFields.Field(form: .other, range: start..<position, offset: start) }
    }
    record(entry, start..<position, in: .all)
    return true
  }

  /// Scans the value of a key in the telemetry of one ECU.
  private mutating func scanValueOfECU(_ entry: RecordFieldTable.Entry?) -> Bool {
    let start = position
    guard scanValue(depth: 3) else { return false }
    if let entry { record(entry, start..<position, in: .telemetry) }
    return true
  }

  /// Adds to ``wrongTypes`` all types of records, among `types`, in which the key must not have the scanned value.
  private mutating func record(_ entry: RecordFieldTable.Entry, _ range: Range<Int>, in types: RecordTypes) {
    for index in entry.rules {
      let rule = table.rules[index]
      if !rule.types.isDisjoint(with: types), !allows(rule.values, range) {
        wrongTypes.formUnion(rule.types.intersection(types))
      }
    }
  }

  private mutating func scanValue(depth: Int) -> Bool {
    guard position < bytes.count else { return false }
    switch bytes[position] {
    case UInt8(ascii: "\""): return scanString() != nil
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return scanNumber()
    case UInt8(ascii: "{"): return scanObject(depth: depth + 1)
    case UInt8(ascii: "["): return scanArray(depth: depth + 1)
    case UInt8(ascii: "t"): return scanLiteral("true")
    case UInt8(ascii: "f"): return scanLiteral("false")
    default: return false
    }
  }

  private mutating func scanArray(depth: Int) -> Bool {
    guard depth <= Self.maximumDepth, skipped(UInt8(ascii: "[")) else { return false }
    skipSpace()
    if skipped(UInt8(ascii: "]")) { return true }
    while true {
      guard scanValue(depth: depth) else { return false }
      skipSpace()
      if skipped(UInt8(ascii: "]")) { return true }
      guard skipped(UInt8(ascii: ",")) else { return false }
      skipSpace()
    }
  }

  private mutating func scanLiteral(_ text: StaticString) -> Bool {
    let end = position + text.utf8CodeUnitCount
    guard end <= bytes.count, bytes.extracting(position..<end).holds(text) else { return false }
    position = end
    return true
  }

  /// Scans a string and returns the range of its characters, without the quotes; `nil` if it is not a string that this
  /// scanner reads.
  private mutating func scanString() -> Range<Int>? {
    guard skipped(UInt8(ascii: "\"")) else { return nil }
    let start = position
    var index = start
    let raw = unsafe bytes.bytes
    let ones: UInt64 = 0x0101_0101_0101_0101
    while index &+ 8 <= bytes.count {
      // The index was checked, and any eight bytes are a valid UInt64. The computation sets the top bit of each byte
      // that is a quote, a backslash, a control character or not ASCII. It may also set wrong bits above the first
      // right one, so only the lowest set bit is used.
      let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      let quote = word ^ (ones &* 0x22)
      let backslash = word ^ (ones &* 0x5C)
      let ends = ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | ((word &- ones &* 0x20) & ~word)
      let marks = (ends | word) & (ones << 7)
      if marks != 0 {
        index &+= marks.trailingZeroBitCount >> 3
        guard bytes[index] == UInt8(ascii: "\"") else { return nil }
        position = index &+ 1
        return start..<index
      }
      index &+= 8
    }
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") {
        position = index &+ 1
        return start..<index
      }
      guard byte >= 0x20, byte < 0x80, byte != UInt8(ascii: "\\") else { return nil }
      index &+= 1
    }
    return nil
  }

  /// Scans a number (RFC 8259, section 6).
  private mutating func scanNumber() -> Bool {
    var index = position
    if bytes[index] == UInt8(ascii: "-") { index &+= 1 }
    let whole = digits(from: index)
    guard whole > index, whole == index &+ 1 || bytes[index] != UInt8(ascii: "0") else { return false }
    index = whole
    if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
      let end = digits(from: index &+ 1)
      guard end > index &+ 1 else { return false }
      index = end
    }
    if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
      index &+= 1
      if index < bytes.count, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") { index &+= 1 }
      let end = digits(from: index)
      guard end > index else { return false }
      index = end
      return endNumber(at: index)
    }
    // A number of at most 300 characters without an exponent is always within the range of a Double.
    guard whole &- position <= 300 else { return endNumber(at: index) }
    position = index
    return true
  }

  /// Ends the scan of a number, after checking that the number is finite as a `Double`.
  ///
  /// - Returns: `false` if the number is not finite.
  private mutating func endNumber(at end: Int) -> Bool {
    guard number(position..<end) != nil else { return false }
    position = end
    return true
  }

  private func digits(from start: Int) -> Int {
    var index = start
    while index < bytes.count, bytes[index] &- UInt8(ascii: "0") < 10 { index &+= 1 }
    return index
  }

  /// Returns a hash of a key. If two keys of an object have the same hash, which is rare, the record is not treated as
  /// simple, and ``JSONText/JSONDocument`` parses it.
  static func sum(of key: Range<Int>, in bytes: Span<UInt8>) -> UInt32 {
    let raw = unsafe bytes.bytes
    var sum = UInt64(truncatingIfNeeded: key.count)
    var index = key.lowerBound
    while index &+ 8 <= key.upperBound {
      // The index was checked, and any eight bytes are a valid UInt64.
      let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      sum = (sum ^ word) &* 0x9E37_79B9_7F4A_7C15
      sum ^= sum >> 32
      index &+= 8
    }
    var rest: UInt64 = 0
    while index < key.upperBound {
      rest = rest << 8 | UInt64(bytes[index])
      index &+= 1
    }
    sum = (sum ^ rest) &* 0x9E37_79B9_7F4A_7C15
    return UInt32(truncatingIfNeeded: sum >> 32)
  }

  @inline(__always)
  private mutating func skipSpace() {
    while position < bytes.count, bytes[position] <= 0x20 {
      switch bytes[position] {
      case 0x20, 0x0D, 0x09: position &+= 1
      case 0x0A:
        hasLineFeed = true
        position &+= 1
      default: return
      }
    }
  }

  @inline(__always)
  private mutating func skipped(_ byte: UInt8) -> Bool {
    guard position < bytes.count, bytes[position] == byte else { return false }
    position &+= 1
    return true
  }
}
