import FleetDomain

/// Writes a table as PDF. The pages are A4 in landscape; each has the title, the names of the columns and the page
/// number.
///
/// Texts are in the font DejaVu Sans, which has the letters of European languages. Other characters are replaced by
/// U+FFFD; a note on the last page reports this. A text that does not fit into its column is truncated, and ends with
/// an ellipsis.
struct PDFWriter: ExportWriter {
  private static let (width, height, margin): (Float, Float, Float) = (842, 595, 36)
  private static let (titleSize, size, line): (Float, Float, Float) = (12, 8, 13)
  private static let gap: Float = 8
  private static let rowsOfPage = 35
  /// The maximum width of a column, in points, if the table would otherwise be wider than the page.
  private static let wide: Float = 180
  private static let fonts = "/usr/share/fonts/truetype/dejavu"

  private let title: String
  private let columns: [ExportColumn]
  private var rows: [[ExportCell]] = []
  private var hasReplaced = false

  /// Creates a writer.
  ///
  /// - Parameter title: the text above the table on each page.
  init(_ columns: [ExportColumn], title: String) {
    self.columns = columns
    self.title = title
  }

  mutating func begin() -> [UInt8] { [] }

  mutating func add(_ cells: [ExportCell]) -> [UInt8] {
    rows.append(cells)
    return []
  }

  mutating func finish() throws -> [UInt8] {
    let heads = columns.map { printable($0.name) }
    let texts = rows.map { row in row.map { printable($0.shownText) } }
    let title = printable(title)
    let isNumber = columns.indices.map { column in
      rows.allSatisfy { row in
        switch row[column] {
        case .number, .empty: true
        case .text, .flag: false
        }
      }
    }
    guard
      let document = PDFDocument(
        regular: "\(Self.fonts)/DejaVuSans.ttf", bold: "\(Self.fonts)/DejaVuSans-Bold.ttf", title: Self.ascii(title))
    else { throw APIError.noPDF }
    document.addPage(width: Self.width, height: Self.height)
    let widths = Self.widths(
      columns.indices.map { column in
        texts.reduce(document.width(of: heads[column], isBold: true, Self.size)) {
          max($0, document.width(of: $1[column], Self.size))
        }
      })
    let pages = max((texts.count + Self.rowsOfPage - 1) / Self.rowsOfPage, 1)
    for page in 0..<pages {
      guard WorkTurn.mayContinue else { break }
      if page > 0 { document.addPage(width: Self.width, height: Self.height) }
      var y = Self.height - Self.margin
      document.add(title, isBold: true, Self.titleSize, x: Self.margin, y: y)
      let number = "Page \(page + 1) of \(pages)"
      let end = Self.width - Self.margin
      document.add(number, Self.size, x: end - document.width(of: number, Self.size), y: y)
      y -= 2 * Self.line
      draw(heads, isBold: true, y, widths, isNumber, document)
      document.addLine(from: (Self.margin, y - 4), to: (end, y - 4))
      for row in texts.dropFirst(page * Self.rowsOfPage).prefix(Self.rowsOfPage) {
        y -= Self.line
        draw(row, isBold: false, y, widths, isNumber, document)
      }
      if page == pages - 1, hasReplaced {
        document.add(
          "Characters that this document cannot show are replaced by \u{FFFD}. CSV and XLSX files contain them.",
          Self.size,
          x: Self.margin, y: Self.margin - Self.line)
      }
    }
    guard let bytes = document.finish() else { throw APIError.noPDF }
    return bytes
  }

  private func draw(
    _ texts: [String], isBold: Bool, _ y: Float, _ widths: [Float], _ isNumber: [Bool], _ document: PDFDocument
  ) {
    var x = Self.margin
    func width(_ text: String) -> Float { document.width(of: text, isBold: isBold, Self.size) }
    for (column, text) in texts.enumerated() {
      var shown = text
      if width(shown) > widths[column] {
        while !shown.isEmpty, width(shown + "…") > widths[column] { shown.removeLast() }
        shown += "…"
      }
      let start = isNumber[column] ? x + widths[column] - width(shown) : x
      if !shown.isEmpty { document.add(shown, isBold: isBold, Self.size, x: start, y: y) }
      x += widths[column] + Self.gap
    }
  }

  /// Returns the widths of the columns, in points, so that the table fits on the page. If the wanted widths are too
  /// large, first reduces columns that are wider than ``wide``, and then all columns in proportion.
  private static func widths(_ wanted: [Float]) -> [Float] {
    let space = width - 2 * margin - gap * Float(max(wanted.count - 1, 0))
    var widths = wanted
    if widths.reduce(0, +) > space { widths = widths.map { min($0, wide) } }
    let sum = widths.reduce(0, +)
    return sum > space ? widths.map { $0 * space / sum } : widths
  }

  /// Returns a text as one line in which each character that the font lacks is replaced by U+FFFD.
  private mutating func printable(_ text: String) -> String {
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      // Latin, Greek, Cyrillic, Armenian, Georgian; punctuation, currencies, letter-like signs, arrows, mathematics.
      case 0x20...0x7E, 0xA0...0x52F, 0x531...0x587, 0x10D0...0x10FA, 0x1E00...0x1FFE, 0x2000...0x200A,
        0x2010...0x2027, 0x2030...0x205E, 0x20A0...0x20B5, 0x2100...0x2149, 0x2190...0x22FF, 0xFFFD:
        shown.append(scalar)
      case 0x9, 0xA, 0xD: shown.append(" ")
      default:
        shown.append("\u{FFFD}")
        hasReplaced = true
      }
    }
    return String(shown)
  }

  /// Returns the title for the document's properties. The title must be ASCII: other characters become `?`.
  private static func ascii(_ text: String) -> String { String(text.map { $0.isASCII ? $0 : "?" }) }
}

extension ExportCell {
  /// The text of the cell in the PDF.
  fileprivate var shownText: String {
    switch self {
    case .empty: ""
    case .text(let text): text
    case .number(let text): text
    case .flag(let flag): flag ? "yes" : "no"
    }
  }
}

extension APIError {
  /// The error if no PDF can be made, because the library or one of its fonts is missing.
  fileprivate static var noPDF: APIError {
    APIError(
      .serviceUnavailable, "noPDF",
      "this server makes no PDF files, because libhpdf or the font DejaVu Sans is missing; ask for csv or xlsx")
  }
}
