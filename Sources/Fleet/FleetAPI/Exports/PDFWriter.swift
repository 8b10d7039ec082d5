import FleetDomain

/// Writes a table as PDF. The pages are A4 in landscape; each has the title, the headings of the columns and the page
/// number.
///
/// Texts are in the font DejaVu Sans, which has the letters of European languages. Other characters are replaced by
/// U+FFFD; a note on the last page reports this.
///
/// No text is truncated. If the table is wider than the page, the font becomes smaller, and headings and long texts are
/// divided into lines. If this is not sufficient, the columns are divided among several pages, which all begin with the
/// first column.
struct PDFWriter: ExportWriter {
  private static let (width, height, margin): (Float, Float, Float) = (842, 595, 36)
  private static let (titleSize, line): (Float, Float) = (12, 13)
  /// The sizes of the font, in points, from the preferred one to the smallest one that is easy to read.
  private static let (size, smallerSizes): (Float, [Float]) = (8, [7, 6])
  private static let gap: Float = 8
  private static let linesOfPage = 35
  /// The width from which a text is divided into lines if the table would otherwise be wider than the page, in points
  /// at the preferred size.
  private static let wide: Float = 180
  private static let fonts = "/usr/share/fonts/truetype/dejavu"

  private let title: String
  private let headings: [String]
  private var rows: [[ExportCell]] = []
  private var hasReplaced = false

  /// Creates a writer.
  ///
  /// - Parameters:
  ///   - headings: the headings of the columns. There is at least one.
  ///   - title: the text above the table on each page.
  init(_ headings: [String], title: String) {
    self.headings = headings
    self.title = title
  }

  mutating func begin() -> [UInt8] { [] }

  mutating func add(_ cells: [ExportCell]) -> [UInt8] {
    rows.append(cells)
    return []
  }

  mutating func finish() throws -> [UInt8] {
    let headings = headings.map { printable($0) }
    let texts = rows.map { row in row.map { printable($0.shownText) } }
    let title = printable(title)
    let isNumber = headings.indices.map { column in
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
    let layout = Self.layout(headings, texts, isNumber, document)
    let heads = headings.indices.map { column in
      document.lines(of: headings[column], isBold: true, layout.size, within: layout.widths[column])
    }
    let cells = texts.map { row in
      row.indices.map { column in
        layout.isDivided[column]
          ? document.lines(of: row[column], layout.size, within: layout.widths[column]) : [row[column]]
      }
    }
    let headLines = heads.map(\.count).max() ?? 1
    let parts = Self.parts(cells.map { $0.map(\.count).max() ?? 1 }, most: Self.linesOfPage + 1 - headLines)
    let pages = parts.flatMap { part in layout.pages.map { (rows: part, columns: $0) } }
    for (index, page) in pages.enumerated() {
      guard WorkTurn.mayContinue else { break }
      if index > 0 { document.addPage(width: Self.width, height: Self.height) }
      var y = Self.height - Self.margin
      let number = "Page \(index + 1) of \(pages.count)"
      let end = Self.width - Self.margin
      let numberStart = end - document.width(of: number, Self.size)
      document.add(number, Self.size, x: numberStart, y: y)
      let titleWidth = document.width(of: title, isBold: true, Self.titleSize)
      let titleSpace = numberStart - Self.gap - Self.margin
      document.add(
        title, isBold: true, Self.titleSize * min(titleSpace / max(titleWidth, 1), 1), x: Self.margin, y: y)
      y -= 2 * Self.line
      func draw(_ cells: [[String]], isBold: Bool) {
        var x = Self.margin
        for column in page.columns {
          for (line, text) in cells[column].enumerated() where !text.isEmpty {
            let indent =
              isNumber[column]
              ? layout.widths[column] - document.width(of: text, isBold: isBold, layout.size) : 0
            document.add(text, isBold: isBold, layout.size, x: x + indent, y: y - Float(line) * Self.line)
          }
          x += layout.widths[column] + Self.gap
        }
        y -= Float(max(page.columns.map { cells[$0].count }.max() ?? 1, 1)) * Self.line
      }
      draw(heads, isBold: true)
      document.addLine(from: (Self.margin, y + Self.line - 4), to: (end, y + Self.line - 4))
      for row in page.rows { draw(cells[row], isBold: false) }
      if index == pages.count - 1, hasReplaced {
        document.add(
          "Characters that this document cannot show are replaced by \u{FFFD}. CSV and XLSX files contain them.",
          Self.size,
          x: Self.margin, y: Self.margin - Self.line)
      }
    }
    guard let bytes = document.finish() else { throw APIError.noPDF }
    return bytes
  }

  // MARK: Layout

  /// The size of the font, and the places of the columns.
  private struct Layout {
    var size: Float
    /// The widths of the columns, in points.
    var widths: [Float]
    /// Whether texts of a column are divided into lines.
    var isDivided: [Bool]
    /// The columns on each of the pages that contain one row.
    var pages: [[Int]]
  }

  private static func layout(
    _ headings: [String], _ texts: [[String]], _ isNumber: [Bool], _ document: PDFDocument
  ) -> Layout {
    func headingWidth(_ text: some StringProtocol) -> Float {
      document.width(of: String(text), isBold: true, size)
    }
    let columns = headings.indices
    let needed = columns.map { column in
      texts.reduce(Float(0)) { max($0, document.width(of: $1[column], size)) }
    }
    let full = columns.map { max(needed[$0], headingWidth(headings[$0])) }
    let isWide = columns.map { !isNumber[$0] && needed[$0] > wide }
    let narrow = columns.map { column in
      let word = headings[column].split(separator: " ").map { headingWidth($0) }.max() ?? 0
      return max(isWide[column] ? wide : needed[column], word)
    }
    let space = width - 2 * margin
    for size in [size] + smallerSizes {
      let scale = size / Self.size
      for (widths, isDivided) in [(full, columns.map { _ in false }), (narrow, isWide)] {
        let scaled = widths.map { $0 * scale }
        guard scaled.reduce(gap * Float(scaled.count - 1), +) <= space else { continue }
        return Layout(size: size, widths: scaled, isDivided: isDivided, pages: [Array(columns)])
      }
    }
    var pages: [[Int]] = []
    var rest: Float = 0
    for column in columns.dropFirst() {
      if pages.isEmpty || rest < narrow[column] + gap {
        pages.append([0])
        rest = space - narrow[0]
      }
      pages[pages.count - 1].append(column)
      rest -= narrow[column] + gap
    }
    return Layout(size: size, widths: narrow, isDivided: isWide, pages: pages.isEmpty ? [[0]] : pages)
  }

  /// Divides rows into the parts that fit on one page. There is at least one part.
  ///
  /// - Parameters:
  ///   - lines: the number of lines of each row.
  ///   - most: the number of lines that fit on a page.
  private static func parts(_ lines: [Int], most: Int) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var (start, sum) = (0, 0)
    for (row, count) in lines.enumerated() {
      if row > start, sum + count > most {
        parts.append(start..<row)
        (start, sum) = (row, 0)
      }
      sum += count
    }
    return parts + [start..<lines.count]
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

extension PDFDocument {
  /// Divides a text into lines, at spaces if possible.
  ///
  /// - Parameter width: the maximum width of a line, in points.
  fileprivate func lines(of text: String, isBold: Bool = false, _ size: Float, within width: Float) -> [String] {
    // Tolerate rounding errors of the measured widths.
    func fits(_ text: String) -> Bool { self.width(of: text, isBold: isBold, size) <= width + 0.1 }
    if fits(text) { return [text] }
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      let longer = line.isEmpty ? String(word) : "\(line) \(word)"
      if fits(longer) {
        line = longer
        continue
      }
      if !line.isEmpty { lines.append(line) }
      line = ""
      for character in word {
        if !line.isEmpty, !fits("\(line)\(character)") {
          lines.append(line)
          line = ""
        }
        line.append(character)
      }
    }
    return line.isEmpty ? lines : lines + [line]
  }
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
