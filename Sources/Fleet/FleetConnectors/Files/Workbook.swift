import FleetDomain
import FleetWork

/// Reads the cells of a spreadsheet (ISO/IEC 29500): the rows of all sheets, one sheet after the other.
public enum Workbook {
  private static let strings = "xl/sharedStrings.xml"
  private static let styles = "xl/styles.xml"
  private static let sheets = "xl/worksheets/"

  /// Whether the reader needs the file with this name from the archive.
  public static func needs(_ name: String) -> Bool {
    name == strings || name == styles || name.hasPrefix(sheets) && name.hasSuffix(".xml")
  }

  /// Returns the rows of all sheets. The cells of dates become texts such as `2026-05-04 10:00:00`.
  ///
  /// - Parameters:
  ///   - files: the contents of the archive's files; the keys are the names of the files.
  ///   - mostBytes: the maximum length of the texts of all cells together. Many cells may refer to the same text, which
  ///     counts for each of them.
  /// - Throws: ``ImportError`` if one of them cannot be read, or if there are too many columns, cells or texts.
  public static func rows(_ files: [String: [UInt8]], mostBytes: Int) throws(ImportError) -> CSVText {
    let texts = XMLReader.elements(try parse(files, strings)["si"]).map { item in
      // A text with several formats has several runs.
      let runs = XMLReader.elements(item["r"]).map { XMLReader.text($0["t"]) }
      return runs.isEmpty ? XMLReader.text(item["t"]) : runs.joined()
    }
    let dates = dateStyles(try parse(files, styles))
    // `sheet10.xml` comes after `sheet9.xml`.
    let names = files.keys.filter { $0.hasPrefix(sheets) }.sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
    var rows: [CSVText.Row] = []
    var (bytes, count) = (0, 0)
    for name in names {
      for row in XMLReader.elements(try parse(files, name)["sheetdata"]?["row"]) {
        var cells: [String] = []
        for cell in XMLReader.elements(row["c"]) {
          let column = XMLReader.text(cell["r"]).isEmpty ? cells.count : Self.column(XMLReader.text(cell["r"]))
          guard let column else {
            throw ImportError(line: rows.count + 1, column: nil, message: "expected the name of a cell, such as A1")
          }
          let cellCount = max(cells.count, column + 1)
          try CSVText.requireFew(columns: cellCount, cells: count + cellCount, line: rows.count + 1)
          while cells.count <= column { cells.append("") }
          cells[column] = value(of: cell, texts, dates)
          bytes += cells[column].utf8.count
          guard bytes <= mostBytes else {
            throw ImportError(
              line: rows.count + 1, column: nil,
              message: "expected at most \(mostBytes) bytes in all cells together; divide the file")
          }
        }
        count += cells.count
        rows.append(CSVText.Row(line: rows.count + 1, cells: cells.isEmpty ? [""] : cells))
      }
    }
    return CSVText(rows: rows, isExact: false)
  }

  private static func parse(_ files: [String: [UInt8]], _ name: String) throws(ImportError) -> JSON {
    guard let bytes = files[name] else { return .null }
    do throws(XMLError) {
      return try XMLReader.parse(bytes).content
    } catch {
      throw ImportError(line: 1, column: nil, message: "\(name): byte \(error.offset): \(error.message)")
    }
  }

  private static func value(of cell: JSON, _ texts: [String], _ dates: Set<Int>) -> String {
    let value = XMLReader.text(cell["v"])
    switch XMLReader.text(cell["t"]) {
    case "s": return Int(value).flatMap { texts.indices.contains($0) ? texts[$0] : nil } ?? ""
    case "inlineStr": return XMLReader.text(cell["is"]?["t"])
    case "b": return value == "1" ? "true" : "false"
    case "str", "e", "d": return value
    default:
      guard let style = Int(XMLReader.text(cell["s"])), dates.contains(style), let serial = Double(value) else {
        return plain(value)
      }
      return date(serial) ?? value
    }
  }

  /// Returns a number without an exponent. Spreadsheets write exponents in very small and very large numbers.
  private static func plain(_ value: String) -> String {
    guard value.contains(where: { $0 == "E" || $0 == "e" }), let number = Double(value) else { return value }
    return JSON.number(number).canonicalText
  }

  /// Converts a number of days since 1899-12-30 to a date with a time, as text; `nil` if the number is below 1 or the
  /// year is after 9999.
  private static func date(_ serial: Double) -> String? {
    guard serial >= 1, serial < 2_958_466 else { return nil }
    let seconds = Int((serial * 86_400).rounded())
    let day = CalendarDate(dayNumber: seconds / 86_400 - 25_569)
    func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
    let rest = seconds % 86_400
    return "\(day.text) \(two(rest / 3_600)):\(two(rest / 60 % 60)):\(two(rest % 60))"
  }

  /// Returns the indices of the styles whose cells show dates or times.
  private static func dateStyles(_ styles: JSON) -> Set<Int> {
    var custom: Set<Int> = []
    for format in XMLReader.elements(styles["numfmts"]?["numfmt"]) {
      // Ignore quoted texts and colours, as in `[Red]0.0" days"`.
      var isQuoted = false
      let code = XMLReader.text(format["formatcode"]).filter { character in
        if "\"[]".contains(character) { isQuoted.toggle() }
        return !isQuoted
      }.lowercased()
      if code.contains("y") || code.contains("d") || code.contains("h"),
        let id = Int(XMLReader.text(format["numfmtid"]))
      {
        custom.insert(id)
      }
    }
    var found: Set<Int> = []
    for (index, style) in XMLReader.elements(styles["cellxfs"]?["xf"]).enumerated() {
      guard let id = Int(XMLReader.text(style["numfmtid"])) else { continue }
      if (14...22).contains(id) || custom.contains(id) { found.insert(index) }
    }
    return found
  }

  /// Returns the index of a column such as `AB12`, from 0; `nil` if the text is not the name of a cell.
  private static func column(_ name: String) -> Int? {
    var number = 0
    for byte in name.utf8.prefix(while: { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }).prefix(4) {
      number = number * 26 + Int(byte - UInt8(ascii: "A")) + 1
    }
    return number > 0 ? number - 1 : nil
  }
}
