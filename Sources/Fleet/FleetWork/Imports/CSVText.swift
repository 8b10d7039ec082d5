import FleetDomain

/// The cells of a CSV file (RFC 4180) in the variants that other programs write: commas, semicolons or tabs between
/// cells, and any kind of line ends. The apostrophes that ``FormulaGuard`` writes before formulas are removed.
public struct CSVText: Equatable, Sendable {
  public struct Row: Equatable, Sendable {
    /// The number of the row's first line, from 1.
    public let line: Int
    /// The text of each cell, without quotes and without apostrophes before formulas.
    public var cells: [String]

    public init(line: Int, cells: [String]) { (self.line, self.cells) = (line, cells) }

    /// Whether all cells are empty.
    var isEmpty: Bool { cells.allSatisfy { $0.allSatisfy(\.isWhitespace) } }
  }

  /// The maximum number of columns.
  public static let mostColumns = 1_000
  /// The maximum length of the name of a column in bytes.
  static let mostNameBytes = 200
  /// The maximum number of cells of all rows together.
  public static let mostCells = 1_000_000

  public let rows: [Row]
  /// The character between cells.
  public let separator: UInt8
  /// Whether the file has a format such as JSON that defines how numbers are written. Errors in such a file have no
  /// column numbers.
  public let isExact: Bool

  /// Creates the rows of a file that is not CSV.
  public init(rows: [Row], isExact: Bool) {
    (self.rows, self.isExact) = (rows, isExact)
    separator = UInt8(ascii: ",")
  }

  /// Parses a file. Text that is not UTF-8 is read as Windows-1252, which older programs write.
  ///
  /// - Throws: ``ImportError`` if the end quote of a cell is missing, or if there are too many columns.
  public init(_ file: [UInt8]) throws(ImportError) {
    var bytes = file.starts(with: [0xEF, 0xBB, 0xBF]) ? file[3...] : file[...]
    let converted = String(validating: bytes, as: UTF8.self) == nil ? Array(Windows1252.text(of: bytes).utf8) : nil
    if let converted { bytes = converted[...] }
    separator = Self.separator(of: bytes)
    isExact = false
    var rows: [Row] = []
    var (cells, cell): ([String], [UInt8]) = ([], [])
    var (line, firstLine, quotedSince) = (1, 1, Int?.none)
    var isQuoted = false
    var index = bytes.startIndex
    var count = 0
    func endCell() {
      let text = String(decoding: cell, as: UTF8.self)
      cells.append(FormulaGuard.unguarded(isQuoted ? text : text.trimmed))
      (cell, isQuoted) = ([], false)
    }
    func endRow() throws(ImportError) {
      endCell()
      count += cells.count
      try Self.requireFew(columns: cells.count, cells: count, line: firstLine)
      rows.append(Row(line: firstLine, cells: cells))
      cells = []
    }
    while index < bytes.endIndex {
      let byte = bytes[index]
      let next = index + 1 < bytes.endIndex ? bytes[index + 1] : nil
      index += 1
      if quotedSince != nil {
        switch byte {
        case UInt8(ascii: "\"") where next == UInt8(ascii: "\""):
          cell.append(byte)
          index += 1
        case UInt8(ascii: "\""): quotedSince = nil
        default:
          if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") && next != UInt8(ascii: "\n") { line += 1 }
          cell.append(byte)
        }
        continue
      }
      switch byte {
      // Check `isQuoted` first: the cell is searched at most once.
      case UInt8(ascii: "\"") where !isQuoted && cell.allSatisfy({ $0 == UInt8(ascii: " ") }):
        (quotedSince, isQuoted, cell) = (line, true, [])
      case separator:
        endCell()
        // One more cell follows the separator.
        if cells.count >= Self.mostColumns {
          try Self.requireFew(columns: cells.count + 1, cells: count, line: firstLine)
        }
      case UInt8(ascii: "\r"), UInt8(ascii: "\n"):
        if byte == UInt8(ascii: "\r"), next == UInt8(ascii: "\n") { index += 1 }
        try endRow()
        line += 1
        firstLine = line
      default: cell.append(byte)
      }
    }
    if let quotedSince {
      throw ImportError(
        line: quotedSince, column: cells.count + 1, message: "expected the closing quote of a cell, found the end")
    }
    if !cell.isEmpty || !cells.isEmpty || isQuoted { try endRow() }
    self.rows = rows
  }

  /// Checks that a file does not have too many columns or cells, and that the work of reading it was not stopped
  /// (``WorkTurn/mayContinue``).
  public static func requireFew(columns: Int, cells: Int, line: Int) throws(ImportError) {
    guard columns <= mostColumns else {
      throw ImportError(line: line, column: nil, message: "expected at most \(mostColumns) columns")
    }
    guard cells <= mostCells else {
      throw ImportError(line: line, column: nil, message: "expected at most \(mostCells) cells; divide the file")
    }
    guard WorkTurn.mayContinue else { throw ImportError(line: line, column: nil, message: "the reading was stopped") }
  }

  /// Returns the separator that occurs most often in the first four lines, outside quotes.
  private static func separator(of bytes: ArraySlice<UInt8>) -> UInt8 {
    var counts: [UInt8: Int] = [:]
    var (isQuoted, lines) = (false, 0)
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\""): isQuoted.toggle()
      case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"): if !isQuoted { counts[byte, default: 0] += 1 }
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"): if !isQuoted { lines += 1 }
      default: break
      }
      if lines >= 4 { break }
    }
    let candidates = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]
    return candidates.max { counts[$0, default: 0] < counts[$1, default: 0] } ?? candidates[0]
  }
}

/// An error in a file that is imported.
public struct ImportError: Error, Hashable, Sendable {
  /// The number of the line, from 1.
  public let line: Int
  /// The number of the cell in its row, from 1; `nil` if the error is about the whole row.
  public let column: Int?
  public let message: String

  public init(line: Int, column: Int?, message: String) {
    (self.line, self.column, self.message) = (line, column, message)
  }
}

enum Windows1252 {
  /// The characters for the bytes 0x80 to 0x9F. Every other byte represents the Unicode character with the same number.
  private static let upper: [Unicode.Scalar] = Array(
    "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)

  static func text(of bytes: ArraySlice<UInt8>) -> String {
    var text = String.UnicodeScalarView()
    for byte in bytes {
      text.append((0x80...0x9F).contains(byte) ? upper[Int(byte) - 0x80] : Unicode.Scalar(byte))
    }
    return String(text)
  }
}

extension StringProtocol where UTF8View: BidirectionalCollection {
  /// The text without white space at both ends. Non-breaking spaces, which other programs write, are also removed.
  var trimmed: String {
    guard !hasPlainEnds else { return String(self) }
    let start = drop { $0.isWhitespace }
    return String(start.reversed().drop { $0.isWhitespace }.reversed())
  }
}
