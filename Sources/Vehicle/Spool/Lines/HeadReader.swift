/// Reads the first keys of a record's line, in the order in which ``Telemetry/RecordHead`` writes them.
struct HeadReader: ~Escapable {
  private let line: Span<UInt8>
  /// Offset of the next byte to read.
  private(set) var position = 0

  @_lifetime(copy line)
  init(_ line: Span<UInt8>) { self.line = line }

  /// Skips the text `text`, which must come next in the line.
  ///
  /// - Throws: ``RecordFormError`` if the line continues with another text.
  @_lifetime(self: copy self)
  mutating func expect(_ text: StaticString) throws(RecordFormError) {
    guard starts(with: text, at: position) else { throw malformed }
    position += text.utf8CodeUnitCount
  }

  /// Skips a JSON string.
  ///
  /// - Returns: the range of its characters, without the quotes.
  @_lifetime(self: copy self)
  mutating func string() throws(RecordFormError) -> Range<Int> {
    guard position < line.count, line[position] == UInt8(ascii: "\"") else { throw malformed }
    let start = position + 1
    var index = start
    while index < line.count, line[index] != UInt8(ascii: "\"") {
      index += line[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard index < line.count else { throw malformed }
    position = index + 1
    return start..<index
  }

  /// Skips a JSON number. Its characters are not checked.
  @_lifetime(self: copy self)
  mutating func number() throws(RecordFormError) {
    let start = position
    while position < line.count, line[position] != UInt8(ascii: ","), line[position] != UInt8(ascii: "}") {
      position += 1
    }
    guard position > start, position < line.count else { throw malformed }
  }

  /// Skips two keys with their values. The first key is `timestamp` or `elapsed`, the second is `timeQuality`.
  ///
  /// - Returns: the range of both keys and their values, and the range of the timestamp's text. The second range is
  ///   `nil` if the first key is `elapsed`.
  @_lifetime(self: copy self)
  mutating func time() throws(RecordFormError) -> (range: Range<Int>, date: Range<Int>?) {
    let start = position
    var date: Range<Int>?
    if starts(with: "\"timestamp\":", at: position) {
      try expect("\"timestamp\":")
      date = try string()
    } else {
      try expect("\"elapsed\":")
      try number()
    }
    try expect(",\"timeQuality\":")
    _ = try string()
    return (start..<position, date)
  }

  /// Whether the bytes in a range are those of `text`.
  func text(_ range: Range<Int>, is text: StaticString) -> Bool {
    range.count == text.utf8CodeUnitCount && starts(with: text, at: range.lowerBound)
  }

  private func starts(with text: StaticString, at place: Int) -> Bool {
    guard line.count - place >= text.utf8CodeUnitCount else { return false }
    let wanted = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    for index in wanted.indices where unsafe line[place + index] != wanted[index] { return false }
    return true
  }

  private var malformed: RecordFormError { RecordFormError(kind: .malformedHead, offset: position) }
}
