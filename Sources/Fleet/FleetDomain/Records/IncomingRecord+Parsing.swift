import JSONText
import Telemetry

extension IncomingRecord {
  /// Parses one record.
  ///
  ///     {"type":"telemetry","id":"0193e0f2-7c11-7a5e-8f3b-2d1c0b9a8877","timestamp":"2024-12-18T07:41:06.250Z",
  ///      "timeQuality":"gps","gatewayId":"gw-17","vehicleId":"VAN-001","epoch":"0193…","seq":17,"rpm":1726}
  ///
  /// Unknown types and keys are accepted. A record is rejected if
  /// - the text is not a JSON object,
  /// - a key occurs twice, a value is null, or a number is not finite, at any depth,
  /// - a required key of its head (``RecordKey``) is missing, or a key of the head has an invalid value,
  /// - a key of its type has an invalid value (``RecordField``).
  ///
  /// - Parameter text: the object; white space around it is allowed.
  public init(parsing text: Span<UInt8>) throws(RecordRefusal) {
    let object = text.extracting(Self.trimmed(text))
    guard object.count <= Self.maximumCount else {
      throw RecordRefusal(
        .tooLarge, "expected at most \(Self.maximumCount) bytes, found \(object.count): make it several records")
    }
    var scanner = RecordScanner(object, at: 0)
    if scanner.scan(), scanner.position == object.count {
      try self.init(scanner.fields, in: object, body: object)
      if !scanner.wrongTypes.contains(kind) { return }
    }
    let reader = try RecordDocument(object)
    try self.init(reader.fields, in: reader.values.span, body: object)
    try reader.checkValues(of: kind)
  }

  /// Parses a record with the fast parser (``RecordScanner``), which accepts only simple records: ASCII, without
  /// escapes and without null.
  ///
  /// - Parameter end: receives the offset after the record, if the initializer succeeds.
  /// - Returns: `nil` if the general parser must parse the record, or report its error.
  init?(scanning text: Span<UInt8>, at start: Int, end: inout Int) throws(RecordRefusal) {
    var scanner = RecordScanner(text, at: start)
    guard scanner.scan(), !scanner.hasLineFeed, scanner.position - start <= Self.maximumCount else { return nil }
    end = scanner.position
    try self.init(scanner.fields, in: text, body: text.extracting(start..<end))
    // Let the general parser report the invalid value.
    if scanner.wrongTypes.contains(kind) { return nil }
  }

  /// Returns the range of a text that remains without the JSON white space at both ends.
  static func trimmed(_ text: Span<UInt8>) -> Range<Int> {
    var range = 0..<text.count
    while !range.isEmpty, isSpace(text[range.lowerBound]) { range = (range.lowerBound + 1)..<range.upperBound }
    while !range.isEmpty, isSpace(text[range.upperBound - 1]) { range = range.lowerBound..<(range.upperBound - 1) }
    return range
  }

  public static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

  /// Creates a record from the values of its head (``RecordKey``).
  ///
  /// - Parameter values: the bytes to which the ranges of `fields` refer.
  init(_ fields: RecordFields, in values: Span<UInt8>, body: Span<UInt8>) throws(RecordRefusal) {
    let reader = FieldReader(fields, values)
    kind = try reader.kind()
    id = try reader.identifier(.id)
    quality = try reader.quality()
    time = try reader.time(quality)
    gatewayId = try reader.name(.gatewayId)
    vehicleId = try reader.name(.vehicleId)
    epoch = try reader.identifier(.epoch)
    sequence = try reader.sequence()
    vin = try reader.vin()
    hasPosition = try reader.hasPosition()
    ecu = kind.recordClass.hasECUs ? reader.ecu() : nil
    self.body = unsafe body.withUnsafeBufferPointer { unsafe Array($0) }
  }
}
