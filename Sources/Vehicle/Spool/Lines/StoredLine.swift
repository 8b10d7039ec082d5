import Telemetry

/// An error in the format of a record: its line differs from the format that ``Telemetry/RecordHead`` writes.
public struct RecordFormError: Error, Equatable, Sendable {
  /// The kind of error in a line.
  public enum Kind: Sendable {
    /// A key of the head is missing or not in its place, or its value has the wrong type.
    case malformedHead
    /// The record's type is not one of ``Telemetry/RecordType``.
    case unknownType
    /// The line contains a control character, which JSON does not allow.
    case controlCharacter
    /// The line does not end with a line feed, or has more than 16 KiB.
    case notOneLine
  }
  /// The kind of error.
  public let kind: Kind
  /// Offset of the error in the line, bytes.
  public let offset: Int
}

/// A record as it is stored: its line without those values that are determined only when the record is delivered.
///
///     {"type":"trip","id":"0193…",⟨1⟩,"gatewayId":"gw-17","vehicleId":"VAN-001",⟨2⟩,"tripId":"0193…",
///     "event":"end"⟨3⟩startTime:-1800000⟨3⟩,"distance":12.5}
///
/// ⟨1⟩, the byte 01, stands for `timestamp` (or `elapsed`) and `timeQuality`. ⟨2⟩, the byte 02, stands for `epoch` and
/// `seq`. Two bytes 03 (⟨3⟩) enclose the key of a time in a trip record, such as `startTime`, and this time's offset
/// from the record's time, ms. JSON contains no such bytes, so they are unambiguous.
struct StoredLine: Equatable, Sendable {
  static let timeMark: UInt8 = 0x01
  static let numberMark: UInt8 = 0x02
  static let momentMark: UInt8 = 0x03

  let type: RecordType
  /// The line without its line feed. Some values are not known before the delivery. The line contains the bytes 01, 02
  /// and 03 in place of them.
  let bytes: [UInt8]

  /// Creates a stored line from a copy of bytes that were stored before.
  init(type: RecordType, copying bytes: Span<UInt8>) {
    self.type = type
    self.bytes = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
  }

  /// Parses the line of one record.
  ///
  /// - Parameter line: the line, with its line feed.
  init(parsing line: Span<UInt8>) throws(RecordFormError) {
    guard line.count > 1, line.count <= JSONLineEncoder.recordCapacity, line[line.count - 1] == UInt8(ascii: "\n")
    else {
      throw RecordFormError(kind: .notOneLine, offset: max(line.count - 1, 0))
    }
    var reader = HeadReader(line)
    try reader.expect("{\"type\":")
    let name = try reader.string()
    guard let type = RecordType.allCases.first(where: { reader.text(name, is: $0.name) }) else {
      throw RecordFormError(kind: .unknownType, offset: name.lowerBound)
    }
    try reader.expect(",\"id\":")
    _ = try reader.string()
    try reader.expect(",")
    let time = try reader.time()
    try reader.expect(",\"gatewayId\":")
    _ = try reader.string()
    try reader.expect(",\"vehicleId\":")
    _ = try reader.string()
    try reader.expect(",")
    let start = reader.position
    try reader.expect("\"epoch\":")
    _ = try reader.string()
    try reader.expect(",\"seq\":")
    try reader.number()
    self.type = type
    var kept: [UInt8] = []
    kept.reserveCapacity(line.count)
    try Self.copy(line, 0..<time.range.lowerBound, to: &kept)
    kept.append(Self.timeMark)
    try Self.copy(line, time.range.upperBound..<start, to: &kept)
    kept.append(Self.numberMark)
    let body = reader.position..<(line.count - 1)
    if type == .trip, let date = time.date {
      try Self.copyTrip(line, body, from: Self.timestamp(line, date), to: &kept)
    } else {
      try Self.copy(line, body, to: &kept)
    }
    bytes = kept
  }

  private static func copy(
    _ line: Span<UInt8>, _ range: Range<Int>, to kept: inout [UInt8]
  ) throws(RecordFormError) {
    var lowest = UInt8.max
    for index in range { lowest = min(lowest, line[index]) }
    guard lowest >= 0x20 else {
      let offset = range.first { line[$0] < 0x20 } ?? range.lowerBound
      throw RecordFormError(kind: .controlCharacter, offset: offset)
    }
    unsafe line.extracting(range).withUnsafeBufferPointer { unsafe kept.append(contentsOf: $0) }
  }

  /// Copies the body of a trip record. Replaces each time in the body with the offset from the record's time. If the
  /// clock is corrected later, all these times are then corrected by the same amount.
  private static func copyTrip(
    _ line: Span<UInt8>, _ range: Range<Int>, from moment: Timestamp, to kept: inout [UInt8]
  ) throws(RecordFormError) {
    var from = range.lowerBound
    for key in momentKeys {
      let pattern = ",\"\(key)\":\""
      let length = pattern.utf8.count
      guard let start = find(pattern, in: line, from..<range.upperBound), start + length + 25 <= range.upperBound,
        line[start + length + 24] == UInt8(ascii: "\"")
      else { continue }
      let then = try timestamp(line, (start + length)..<(start + length + 24))
      try copy(line, from..<start, to: &kept)
      let distance = then.milliseconds - moment.milliseconds
      kept.append(momentMark)
      kept.append(contentsOf: "\(key):\(distance)".utf8)
      kept.append(momentMark)
      from = start + length + 25
    }
    try copy(line, from..<range.upperBound, to: &kept)
  }

  private static func timestamp(_ line: Span<UInt8>, _ range: Range<Int>) throws(RecordFormError) -> Timestamp {
    do throws(Timestamp.ParsingError) {
      return try Timestamp(parsing: line.extracting(range))
    } catch {
      throw RecordFormError(kind: .malformedHead, offset: range.lowerBound + error.offset)
    }
  }

  private static let momentKeys = ["startTime", "endTime"]

  private static func find(_ pattern: String, in line: Span<UInt8>, _ range: Range<Int>) -> Int? {
    let wanted = pattern.utf8.span
    guard range.count >= wanted.count else { return nil }
    return (range.lowerBound...(range.upperBound - wanted.count)).first { start in
      wanted.indices.allSatisfy { line[start + $0] == wanted[$0] }
    }
  }
}
