import Telemetry

/// Replaces the time in the text of a record.
public enum RecordBodyTime {
  /// Returns the text of a record with another `timestamp` and `timeQuality`. If the text has no `timestamp`, it is
  /// inserted before `timeQuality`.
  ///
  /// - Parameter body: the text of a valid record.
  /// - Throws: the first error, if the text is not a valid record.
  public static func replacing(
    in body: [UInt8], time: Timestamp, quality: TimeQuality
  ) throws(RecordRefusal) -> [UInt8] {
    let fields = try fields(body)
    let date = time.text
    let text = String(decoding: (0..<24).map { date[$0] }, as: UTF8.self)
    guard fields[.timeQuality].form == .string else {
      throw RecordRefusal(.missingKey, key: "timeQuality", "expected this key; every record has it")
    }
    var parts = [(string(at: fields[.timeQuality].offset, in: body), "\"\(quality.name)\"")]
    if fields[.timestamp].form == .string {
      parts.append((string(at: fields[.timestamp].offset, in: body), "\"\(text)\""))
    } else {
      let start = key(before: fields[.timeQuality].offset, in: body)
      parts.append((start..<start, "\"timestamp\":\"\(text)\","))
    }
    var changed = body
    for (range, text) in parts.sorted(by: { $0.0.lowerBound > $1.0.lowerBound }) {
      changed.replaceSubrange(range, with: text.utf8)
    }
    return changed
  }

  private static func fields(_ body: [UInt8]) throws(RecordRefusal) -> RecordFields {
    var scanner = RecordScanner(body.span, at: 0)
    if scanner.scan(), scanner.position == body.count { return scanner.fields }
    return try RecordDocument(body.span).fields
  }

  /// Returns the range of the string that begins at an offset, including its quotes.
  private static func string(at start: Int, in body: [UInt8]) -> Range<Int> {
    var end = start + 1
    while end < body.count, body[end] != UInt8(ascii: "\"") { end += body[end] == UInt8(ascii: "\\") ? 2 : 1 }
    return start..<min(end + 1, body.count)
  }

  /// Returns the offset at which the key before a value begins, including its quote.
  private static func key(before value: Int, in body: [UInt8]) -> Int {
    var quotes = 0
    var index = value
    while index > 0, quotes < 2 {
      index -= 1
      // A key of the record format contains no quote. If the key is written with escapes, they have the form `\u…` and
      // contain no quote either.
      if body[index] == UInt8(ascii: "\"") { quotes += 1 }
    }
    return index
  }
}
