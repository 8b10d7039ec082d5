import Telemetry

/// Where things stand in a record's line, as ``Telemetry/RecordHead`` writes it; found without reading the whole.
///
/// A quote within a text is escaped, so that a key with its quotes can stand nowhere else.
enum RecordLine {
  /// `"epoch":"…","seq":17`
  struct Number: Equatable {
    /// The epoch's 36 characters.
    var epoch: String
    var sequence: UInt64
  }

  /// In which epoch a record is counted, and as what; nil: this is no whole record.
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

  /// The vehicle that a record is about, escapes as they stand.
  static func vehicleId(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? { text(",\"vehicleId\":\"", in: line) }

  /// The gateway that has made a record; ids have nothing to escape.
  static func gatewayId(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? { text(",\"gatewayId\":\"", in: line) }

  /// A record's id.
  static func id(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? { text(",\"id\":\"", in: line) }

  /// The milliseconds since 1970 that a record's id begins with (RFC 9562, 5.7); nil: it has no such id.
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

  /// Where it goes on behind some text; heads are short, so that the search ends soon.
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
