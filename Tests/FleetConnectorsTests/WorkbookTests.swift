import FleetWork
import Testing

@testable import FleetConnectors

/// Spreadsheets whose content is much longer than their files.
@Suite struct WorkbookTests {
  private static let strings = "xl/sharedStrings.xml"
  private static let sheet = "xl/worksheets/sheet1.xml"
  private static let mostBytes = 8 << 20

  private static func rows(_ text: String, _ cells: String) throws -> CSVText {
    try Workbook.rows(
      [
        strings: Array("<sst><si><t>\(text)</t></si></sst>".utf8),
        sheet: Array("<worksheet><sheetData>\(cells)</sheetData></worksheet>".utf8),
      ], mostBytes: mostBytes)
  }

  private static func cells(rows: Int, columns: Int) -> String {
    String(repeating: "<row>" + String(repeating: #"<c t="s"><v>0</v></c>"#, count: columns) + "</row>", count: rows)
  }

  @Test func a_text_counts_for_each_cell_that_refers_to_it() throws {
    let text = String(repeating: "a", count: 30_000)
    let message = "expected at most 8388608 bytes in all cells together; divide the file"
    #expect(throws: ImportError(line: 5, column: nil, message: message)) {
      try Self.rows(text, Self.cells(rows: 49, columns: 60))
    }
    // 8,388,608 / 30,000 cells are allowed.
    let read = try Self.rows(text, Self.cells(rows: 4, columns: 60))
    #expect(read.rows.count == 4 && read.rows.allSatisfy { $0.cells == [String](repeating: text, count: 60) })
  }

  @Test func columns_and_cells_are_limited() throws {
    #expect(try Self.rows("a", Self.cells(rows: 1, columns: 1_000)).rows[0].cells.count == 1_000)
    #expect(throws: ImportError(line: 1, column: nil, message: "expected at most 1000 columns")) {
      try Self.rows("a", Self.cells(rows: 1, columns: 1_001))
    }
    // One cell in the last column of each row: the empty cells before it count.
    let far = String(repeating: #"<row><c r="ALL1" t="s"><v>0</v></c></row>"#, count: 1_001)
    #expect(throws: ImportError(line: 1_001, column: nil, message: "expected at most 1000000 cells; divide the file")) {
      try Self.rows("a", far)
    }
  }
}
