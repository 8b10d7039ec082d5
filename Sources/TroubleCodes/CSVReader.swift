/// Reads comma-separated values record by record (RFC 4180): fields in quotation marks may hold commas, line breaks and
/// doubled quotation marks; a line ends with CR LF or LF, the last one with the file too.
///
/// Lines are counted by records: the catalog refuses the first record with a line break in it, so no count goes on past
/// one.
///
///     P1234,"fuel pump, driver module",Ford
struct CSVReader {
  /// The line on which the record last read begins, from 1.
  private(set) var recordLine = 1
  private var line = 1
  private var offset: Int

  /// - Parameter text: what ``next(of:)`` will be given; a byte order mark at its head is passed over.
  init(_ text: Span<UInt8>) {
    offset = text.count >= 3 && text[0] == 0xEF && text[1] == 0xBB && text[2] == 0xBF ? 3 : 0
  }

  /// The fields of the next record, nil at the end. An empty line is a record of one empty field.
  ///
  /// - Throws: `unterminatedQuote`, `strayQuote`, `textAfterQuote` or `bareCarriageReturn`; ``recordLine`` says where.
  mutating func next(of text: Span<UInt8>) throws(TroubleCodeFileError.Kind) -> [[UInt8]]? {
    recordLine = line
    if offset == text.count { return nil }
    var fields: [[UInt8]] = []
    repeat {
      let quoted = offset < text.count && text[offset] == Self.quote
      fields.append(try quoted ? quotedField(text) : plainField(text))
    } while take(Self.comma, text)
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
      if byte == Self.quote, !take(Self.quote, text) { break }
      field.append(byte)
    }
    if offset < text.count, !Self.endsField(text[offset]) { throw .textAfterQuote }
    return field
  }

  private mutating func endLine(_ text: Span<UInt8>) throws(TroubleCodeFileError.Kind) {
    if offset == text.count { return }
    let returned = take(Self.carriageReturn, text)
    if take(Self.lineFeed, text) {
      line += 1
    } else if returned {
      throw .bareCarriageReturn
    }
  }

  private mutating func take(_ byte: UInt8, _ text: Span<UInt8>) -> Bool {
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
