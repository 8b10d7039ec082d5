/// Files of manufacturer-specific codes: UTF-8, one code per line, comma-separated (RFC 4180).
///
///     code,text,make
///     P1234,fuel pump driver module disabled,Ford
///     P1450,"tank vacuum, unable to bleed up",Ford
///     B1318,battery voltage low
///
/// The header line is optional, and so is the make. A line without a make applies to all makes. Blanks around fields
/// and empty lines are ignored.
extension TroubleCodeCatalog {
  /// Adds the texts in a file. They replace texts that were added earlier for the same code and make. If there is an
  /// error, nothing is added.
  ///
  /// - Parameters:
  ///   - text: content of the file.
  ///   - file: name of the file, for the error.
  /// - Returns: number of codes in the file.
  /// - Throws: ``TroubleCodeFileError`` for the first invalid line.
  @discardableResult
  public mutating func add(csv text: Span<UInt8>, file: String) throws(TroubleCodeFileError) -> Int {
    var reader = CSVReader(text)
    var lines: [Key: Int] = [:]
    var found: [Key: String] = [:]
    do throws(TroubleCodeFileError.Kind) {
      var isFirst = true
      while let bytes = try reader.next(of: text) {
        let fields = try Self.strings(bytes)
        defer { isFirst = false }
        if fields == [""] { continue }
        if isFirst, try Self.isHeader(fields) { continue }
        let (key, text) = try Self.entry(fields)
        if let line = lines.updateValue(reader.recordLine, forKey: key) { throw .duplicate(line: line) }
        found[key] = text
      }
    } catch {
      throw TroubleCodeFileError(file: file, line: reader.recordLine, kind: error)
    }
    added.merge(found) { _, new in new }
    return found.count
  }

  /// Does the same as ``add(csv:file:)-(Span<UInt8>,_)`` for a file whose content is an array.
  @discardableResult
  public mutating func add(csv text: [UInt8], file: String) throws(TroubleCodeFileError) -> Int {
    try add(csv: text.span, file: file)
  }

  private static func strings(_ fields: [[UInt8]]) throws(TroubleCodeFileError.Kind) -> [String] {
    var strings: [String] = []
    for field in fields {
      guard let text = String(validating: field, as: UTF8.self) else { throw .notUTF8 }
      let trimmed = trim(text)
      for scalar in trimmed.unicodeScalars where isControl(scalar) { throw .controlCharacter }
      strings.append(trimmed)
    }
    return strings
  }

  private static func isHeader(_ fields: [String]) throws(TroubleCodeFileError.Kind) -> Bool {
    let names = fields.map { $0.lowercased() }
    guard names[0] == "code" else { return false }
    guard names == ["code", "text"] || names == ["code", "text", "make"] else { throw .header }
    return true
  }

  private static func entry(_ fields: [String]) throws(TroubleCodeFileError.Kind) -> (Key, String) {
    guard fields.count == 2 || fields.count == 3 else { throw .fieldCount(fields.count) }
    guard let code = CodeName(parsing: fields[0]) else { throw .code(fields[0]) }
    let text = fields[1]
    if text.isEmpty { throw .emptyText }
    if text.utf8.count > maximumTextLength { throw .longText(text.utf8.count) }
    return (Key(code: code.number, make: fields.count == 3 ? fields[2] : ""), text)
  }

  private static func trim(_ text: String) -> String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    let head = text.drop(while: isBlank)
    guard let last = head.lastIndex(where: { !isBlank($0) }) else { return "" }
    return String(head[...last])
  }

  /// Whether a character is a control character (C0 or C1), or a line or paragraph separator.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value || scalar.value == 0x2028 || scalar.value == 0x2029
  }
}
