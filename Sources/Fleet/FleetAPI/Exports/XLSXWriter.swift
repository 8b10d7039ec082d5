/// Writes a workbook (ECMA-376, Office Open XML). When a sheet is full, the next row begins a new sheet. Texts are
/// stored as texts, so that spreadsheets do not evaluate them as formulas. Characters that XML does not allow are
/// replaced by U+FFFD. Texts that are too long for a cell are truncated.
struct XLSXWriter: ExportWriter {
  /// The maximum number of rows of a sheet, including the row of column names.
  static let mostRows = 1_048_576
  /// If a sheet reaches this length, in bytes before compression, the next row begins a new sheet.
  private static let fullSheet: UInt64 = 2 << 30
  /// The maximum length of a text in a cell, in UTF-16 code units.
  static let mostUnits = 32_767

  private let columns: [ExportColumn]
  /// The letters that name each column.
  private let letters: [String]
  private let mostRows: Int
  private let zip: ZipWriter
  private var sheets = 0
  private var rows = 0

  /// Creates a writer.
  ///
  /// - Parameter mostRows: the number of rows after which the next sheet begins.
  init(_ columns: [ExportColumn], mostRows: Int = Self.mostRows) throws {
    self.columns = columns
    letters = columns.indices.map(Self.letters)
    self.mostRows = mostRows
    zip = try ZipWriter()
  }

  mutating func begin() throws -> [UInt8] { try beginSheet() }

  mutating func add(_ cells: [ExportCell]) throws -> [UInt8] {
    var bytes: [UInt8] = []
    if rows >= mostRows || zip.count >= Self.fullSheet { bytes = try endSheet() + (try beginSheet()) }
    return bytes + (try row(cells))
  }

  mutating func finish() throws -> [UInt8] {
    var bytes = try endSheet()
    let names = (1...sheets).map { $0 }
    bytes += try file(
      "xl/workbook.xml",
      Self.element("workbook", #"xmlns="\#(Self.main)" xmlns:r="\#(Self.relationships)""#) {
        Self.element("sheets") {
          names.map { #"<sheet name="Sheet\#($0)" sheetId="\#($0)" r:id="rId\#($0)"/>"# }.joined()
        }
      })
    bytes += try file(
      "xl/_rels/workbook.xml.rels",
      Self.element("Relationships", #"xmlns="\#(Self.packages)/relationships""#) {
        names.map {
          #"<Relationship Id="rId\#($0)" Type="\#(Self.relationships)/worksheet" Target="worksheets/sheet\#($0).xml"/>"#
        }.joined()
      })
    bytes += try file(
      "_rels/.rels",
      Self.element("Relationships", #"xmlns="\#(Self.packages)/relationships""#) {
        #"<Relationship Id="rId1" Type="\#(Self.relationships)/officeDocument" Target="xl/workbook.xml"/>"#
      })
    let office = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    bytes += try file(
      "[Content_Types].xml",
      Self.element("Types", #"xmlns="\#(Self.packages)/content-types""#) {
        #"<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>"#
          + #"<Override PartName="/xl/workbook.xml" ContentType="\#(office).sheet.main+xml"/>"#
          + names.map {
            #"<Override PartName="/xl/worksheets/sheet\#($0).xml" ContentType="\#(office).worksheet+xml"/>"#
          }.joined()
      })
    return bytes + (try zip.finish())
  }

  private static let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
  private static let relationships = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
  private static let packages = "http://schemas.openxmlformats.org/package/2006"
  private static let head = #"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#

  private static func element(_ name: String, _ attributes: String = "", _ content: () -> String) -> String {
    "<\(name)\(attributes.isEmpty ? "" : " ")\(attributes)>\(content())</\(name)>"
  }

  private func file(_ name: String, _ text: String) throws -> [UInt8] {
    try zip.begin(name) + zip.add(Array((Self.head + text).utf8)) + zip.end()
  }

  private mutating func beginSheet() throws -> [UInt8] {
    sheets += 1
    rows = 0
    let start = #"\#(Self.head)<worksheet xmlns="\#(Self.main)"><sheetData>"#
    let bytes = try zip.begin("xl/worksheets/sheet\(sheets).xml") + zip.add(Array(start.utf8))
    return bytes + (try row(columns.map { .text($0.name) }))
  }

  private func endSheet() throws -> [UInt8] {
    try zip.add(Array("</sheetData></worksheet>".utf8)) + zip.end()
  }

  private mutating func row(_ cells: [ExportCell]) throws -> [UInt8] {
    rows += 1
    var text = #"<row r="\#(rows)">"#
    for (index, cell) in cells.enumerated() where cell != .empty {
      let place = letters[index] + String(rows)
      switch cell {
      case .empty: continue
      case .number(let number): text += #"<c r="\#(place)"><v>\#(number)</v></c>"#
      case .flag(let flag): text += #"<c r="\#(place)" t="b"><v>\#(flag ? 1 : 0)</v></c>"#
      case .text(let value):
        text += #"<c r="\#(place)" t="inlineStr"><is><t xml:space="preserve">\#(Self.escaped(value))</t></is></c>"#
      }
    }
    return try zip.add(Array((text + "</row>").utf8))
  }

  /// Returns the letters that name a column: A to Z, AA to ZZ, AAA to XFD.
  ///
  /// - Parameter column: the number of the column, from 0.
  static func letters(_ column: Int) -> String {
    var (text, rest) = ("", column)
    repeat {
      text = String(Unicode.Scalar(UInt8(ascii: "A") + UInt8(rest % 26))) + text
      rest = rest / 26 - 1
    } while rest >= 0
    return text
  }

  /// Whether a byte of a text stands for itself in XML.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "_"): false
    default: (0x20...0x7E).contains(byte)
    }
  }

  /// Whether a text begins with `_x`, four hexadecimal digits and `_`. Spreadsheets would interpret these characters as
  /// one escaped character.
  private static func isEscape(_ text: Substring.UnicodeScalarView) -> Bool {
    let start = Array(text.prefix(7))
    return start.count == 7 && start[1] == "x" && start[6] == "_"
      && start[2...5].allSatisfy { $0.isASCII && Character($0).isHexDigit }
  }

  private static func escaped(_ value: String) -> String {
    // Most texts need no change.
    if value.utf8.count <= mostUnits, value.utf8.allSatisfy(isPlain) { return value }
    var (text, units) = ("", 0)
    for index in value.unicodeScalars.indices {
      let scalar = value.unicodeScalars[index]
      units += UTF16.width(scalar)
      guard units <= mostUnits else { break }
      if scalar == "_", isEscape(value.unicodeScalars[index...]) {
        text += "_x005F_"
        continue
      }
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      // Escape CR, because XML parsers convert an unescaped CR to LF.
      case "\r": text += "&#13;"
      case "\t", "\n", "\u{20}"..."\u{D7FF}", "\u{E000}"..."\u{FFFD}", "\u{10000}"..."\u{10FFFF}":
        text.unicodeScalars.append(scalar)
      default: text.unicodeScalars.append("\u{FFFD}")
      }
    }
    return text
  }
}
