/// Reads comma-separated values record by record (RFC 4180). Quoted fields may contain commas, line breaks and doubled
/// quotation marks. Lines end with CR LF, LF or the end of the file.
///
/// ``recordLine`` counts records, not line ends. It is nevertheless the right line number, because the catalog stops at
/// the first record that contains a line break.
///
///     P1234,"fuel pump, driver module",Ford
struct CSVReader {
  /// Line on which the record that was last read begins, from 1.
  private(set) var recordLine = 1
  private var line = 1
  private var offset: Int

  /// Creates a reader that begins at the start of a text.
  ///
  /// - Parameter text: the text that is also passed to ``next(of:)``. A leading byte order mark is skipped.
  init(_ text: Span<UInt8>) {
    offset = text.count >= 3 && text[0] == 0xEF && text[1] == 0xBB && text[2] == 0xBF ? 3 : 0
  }

  /// Returns the fields of the next record; `nil` at the end of the text. An empty line is a record with one empty
  /// field.
  ///
  /// - Throws: `unterminatedQuote`, `strayQuote`, `textAfterQuote` or `bareCarriageReturn`, on the line ``recordLine``.
  mutating func next(of text: Span<UInt8>) throws(TroubleCodeFileError.Kind) -> [[UInt8]]? {
    recordLine = line
    if offset == text.count { return nil }
    var fields: [[UInt8]] = []
    repeat {
      let quoted = offset < text.count && text[offset] == Self.quote
      fields.append(try quoted ? quotedField(text) : plainField(text))
    } while consume(Self.comma, text)
    try endLine(text)
    return fields
  }

  private mutating func plainField(_ text: Span<UInt8>) throws(TroubleCodeFileError.Kind) -> [UInt8] {
    var field: [UInt8] = []
    while offset < text.count, !Self.endsField(text[offset]) {
      if text[offset] == Self.quote { throw .strayQuote }
      field.append(text[offset])
      offset += 1
    }
    return field
  }

  private mutating func quotedField(_ text: Span<UInt8>) throws(TroubleCodeFileError.Kind) -> [UInt8] {
    var field: [UInt8] = []
    offset += 1
    while true {
      guard offset < text.count else { throw .unterminatedQuote }
      let byte = text[offset]
      offset += 1
      if byte == Self.quote, !consume(Self.quote, text) { break }
      field.append(byte)
    }
    if offset < text.count, !Self.endsField(text[offset]) { throw .textAfterQuote }
    return field
  }

  private mutating func endLine(_ text: Span<UInt8>) throws(TroubleCodeFileError.Kind) {
    if offset == text.count { return }
    let returned = consume(Self.carriageReturn, text)
    if consume(Self.lineFeed, text) {
      line += 1
    } else if returned {
      throw .bareCarriageReturn
    }
  }

  private mutating func consume(_ byte: UInt8, _ text: Span<UInt8>) -> Bool {
    guard offset < text.count, text[offset] == byte else { return false }
    offset += 1
    return true
  }

  private static func endsField(_ byte: UInt8) -> Bool {
    byte == comma || byte == lineFeed || byte == carriageReturn
  }

  private static let quote = UInt8(ascii: "\"")
  private static let comma = UInt8(ascii: ",")
  private static let lineFeed: UInt8 = 0x0A
  private static let carriageReturn: UInt8 = 0x0D
}
