import Telemetry

/// Finds values in the text line of a record without parsing the whole line. The line must have the form that
/// ``Telemetry/RecordHead`` writes.
///
/// Quotation marks in JSON strings are escaped. Therefore, a key with its quotation marks cannot occur inside a string.
enum RecordLine {
  /// The identity of a record: its epoch and its sequence number. In JSON, this is `"epoch":"…","seq":17`.
  struct Number: Equatable {
    /// The epoch's UUID as text of 36 characters.
    var epoch: String
    var sequence: UInt64
  }

  /// Returns the epoch and sequence number of a record; `nil` if the line does not contain both.
  static func number(_ line: ArraySlice<UInt8>) -> Number? {
    guard let epoch = text(",\"epoch\":\"", in: line), epoch.count == 36,
      let start = find(",\"seq\":", in: line[epoch.endIndex...])
    else { return nil }
    var sequence: UInt64 = 0
    var index = start
    while index < line.endIndex, (0x30...0x39).contains(line[index]) {
      let (tens, isLong) = sequence.multipliedReportingOverflow(by: 10)
      let (next, isTooLong) = tens.addingReportingOverflow(UInt64(line[index] - 0x30))
      guard !isLong, !isTooLong else { return nil }
      sequence = next
      index += 1
    }
    guard index > start else { return nil }
    return Number(epoch: String(decoding: epoch, as: UTF8.self), sequence: sequence)
  }

  /// Returns the vehicle ID of a record as its JSON contains it, with escapes; `nil` if it is missing.
  static func vehicleId(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? { text(",\"vehicleId\":\"", in: line) }

  /// Returns the gateway ID of a record; `nil` if it is missing. A gateway ID never contains escapes.
  static func gatewayId(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? { text(",\"gatewayId\":\"", in: line) }

  /// Returns the ID of a record; `nil` if it is missing.
  static func id(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? { text(",\"id\":\"", in: line) }

  /// Returns the time in a record's ID, ms since 1970 (RFC 9562, section 5.7); `nil` if the ID is missing or invalid.
  static func milliseconds(_ line: ArraySlice<UInt8>) -> UInt64? {
    guard let id = id(line), id.count == 36 else { return nil }
    let digits = String(decoding: id.prefix(8) + id.dropFirst(9).prefix(4), as: UTF8.self)
    return UInt64(digits, radix: 16)
  }

  private static func text(_ key: StaticString, in line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard let start = find(key, in: line) else { return nil }
    var index = start
    while index < line.endIndex, line[index] != UInt8(ascii: "\"") {
      index += line[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return index < line.endIndex ? line[start..<index] : nil
  }

  /// Returns the index after the first occurrence of a text in the line; `nil` if there is none. Only the first 2,048
  /// bytes are searched, because the head of a record is short.
  private static func find(_ text: StaticString, in line: ArraySlice<UInt8>) -> Int? {
    let wanted = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    let last = min(line.endIndex, line.startIndex + 2_048) - wanted.count
    guard line.startIndex <= last else { return nil }
    search: for start in line.startIndex...last where unsafe line[start] == wanted[0] {
      for index in 1..<wanted.count where unsafe line[start + index] != wanted[index] { continue search }
      return start + wanted.count
    }
    return nil
  }
}
