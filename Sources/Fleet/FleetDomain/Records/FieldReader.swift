import JSONText
import Telemetry

/// Reads the values of a record's head (``RecordKey``). If a value is invalid, the error names the expected value.
struct FieldReader: ~Escapable {
  private let fields: RecordFields
  private let values: Span<UInt8>

  @_lifetime(copy values)
  init(_ fields: RecordFields, _ values: Span<UInt8>) {
    self.fields = fields
    self.values = values
  }

  func kind() throws(RecordRefusal) -> RecordKind {
    let bytes = try string(.type, "the name of a type")
    for type in RecordType.allCases where bytes.holds(type.name) { return .known(type) }
    return .other(try name(.type))
  }

  func identifier(_ key: RecordKey) throws(RecordRefusal) -> UUIDv7 {
    let expected = "a UUID of version 7"
    guard let identifier = UUIDv7(try string(key, expected)) else { throw invalid(key, expected) }
    return identifier
  }

  func quality() throws(RecordRefusal) -> TimeQuality {
    let expected = #""gps", "ntp", "system" or "unset""#
    let bytes = try string(.timeQuality, expected)
    for quality in TimeQuality.allCases where bytes.holds(quality.name) { return quality }
    throw invalid(.timeQuality, expected)
  }

  func time(_ quality: TimeQuality) throws(RecordRefusal) -> Timestamp? {
    if quality == .unset, fields[.timestamp].form == .absent { return nil }
    let expected = #"a time from 1678 to 2261 like "2024-12-18T07:41:06.250Z""#
    let bytes = try string(.timestamp, expected)
    let time: Timestamp
    do throws(Timestamp.ParsingError) {
      time = try Timestamp(parsing: bytes)
    } catch {
      throw invalid(.timestamp, expected)
    }
    guard Timestamp.stated.contains(time) else { throw invalid(.timestamp, expected) }
    return time
  }

  /// Returns the value of a key, which must be a text and a valid id (``NameRules/isName(_:)``).
  func name(_ key: RecordKey) throws(RecordRefusal) -> String {
    let bytes = try string(key, NameRules.expectedName)
    guard let name = Self.name(bytes) else { throw invalid(key, NameRules.expectedName) }
    return name
  }

  /// Returns the bytes as a text; `nil` if they are not a valid id.
  static func name(_ bytes: Span<UInt8>) -> String? {
    guard !bytes.isEmpty, bytes.count <= NameRules.maximumNameCount else { return nil }
    let name = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    return NameRules.isName(name) ? name : nil
  }

  func sequence() throws(RecordRefusal) -> UInt64 {
    let expected = "a whole number from 1 up"
    let field = fields[.seq]
    guard field.form != .absent else { throw missing(.seq) }
    guard field.form == .number, field.range.count <= 19 else { throw invalid(.seq, expected) }
    var number: UInt64 = 0
    for index in field.range {
      let digit = values[index] &- UInt8(ascii: "0")
      guard digit < 10 else { throw invalid(.seq, expected) }
      number = number * 10 + UInt64(digit)
    }
    guard number > 0, number <= Int64.max else { throw invalid(.seq, expected) }
    return number
  }

  /// Returns the VIN; `nil` if the record has no VIN, or one that is empty, too long or otherwise not a valid id.
  func vin() throws(RecordRefusal) -> String? {
    guard fields[.vin].form != .absent else { return nil }
    return Self.name(try string(.vin, "a text"))
  }

  /// Returns the ECU of a `dtc` or `monitors` record; `nil` if the record has no ECU or an invalid one.
  func ecu() -> String? {
    let field = fields[.ecu]
    guard field.form == .string, field.range.count <= IncomingRecord.maximumECUCount else { return nil }
    return Self.name(values.extracting(field.range))
  }

  /// Whether the record has a latitude and a longitude, both within their ranges.
  func hasPosition() throws(RecordRefusal) -> Bool {
    let hasLatitude = try isDegrees(.latitude, atMost: 90)
    let hasLongitude = try isDegrees(.longitude, atMost: 180)
    return hasLatitude && hasLongitude
  }

  private func isDegrees(_ key: RecordKey, atMost limit: Int) throws(RecordRefusal) -> Bool {
    switch fields[key].form {
    case .absent: return false
    case .number: return isNumber(fields[key].range, atMost: limit)
    case .string, .other: throw invalid(key, "a number of degrees")
    }
  }

  /// Whether the absolute value of a number is at most `limit`.
  private func isNumber(_ range: Range<Int>, atMost limit: Int) -> Bool {
    let start = values[range.lowerBound] == UInt8(ascii: "-") ? range.lowerBound + 1 : range.lowerBound
    // The usual case: the digits before the decimal point are sufficient to decide.
    var (whole, place) = (0, start)
    while place < range.upperBound, place - start < 4, values[place] &- UInt8(ascii: "0") < 10 {
      whole = whole * 10 + Int(values[place] - UInt8(ascii: "0"))
      place += 1
    }
    let isPlain = !range.contains { values[$0] | 0x20 == UInt8(ascii: "e") }
    if isPlain, place == range.upperBound || values[place] == UInt8(ascii: "."), whole != limit { return whole < limit }
    // The number's whole part equals the limit, or the number has an exponent: compare the exact value.
    let digits = unsafe values.extracting(start..<range.upperBound).withUnsafeBufferPointer {
      unsafe Double(String(decoding: $0, as: UTF8.self))
    }
    return digits.map { $0 <= Double(limit) } ?? false
  }

  @_lifetime(copy self)
  private func string(_ key: RecordKey, _ expected: @autoclosure () -> String) throws(RecordRefusal) -> Span<UInt8> {
    let field = fields[key]
    guard field.form != .absent else { throw missing(key) }
    guard field.form == .string else { throw invalid(key, expected()) }
    return values.extracting(field.range)
  }

  private func missing(_ key: RecordKey) -> RecordRefusal {
    RecordRefusal(.missingKey, key: "\(key.name)", "expected this key; every record has it")
  }

  private func invalid(_ key: RecordKey, _ expected: String) -> RecordRefusal {
    let field = fields[key]
    let found =
      switch field.form {
      case .absent: "nothing"
      case .other: "true, false, an array or an object"
      case .number: text(field.range)
      case .string: JSONError.quoted(text(field.range))
      }
    return RecordRefusal(
      .invalidValue, key: "\(key.name)", offset: field.offset, "expected \(expected), found \(found)")
  }

  private func text(_ range: Range<Int>) -> String {
    // Only the beginning of the text is copied, because messages show no more of it.
    unsafe values.extracting(range).extracting(first: min(range.count, 64)).withUnsafeBufferPointer {
      unsafe String(decoding: $0, as: UTF8.self)
    }
  }
}
