import FleetDomain
import Glibc
import Testing

@testable import FleetWork

/// Files that need much time or long answers in relation to their length.
@Suite struct ImportLimitsTests {
  private static func file(_ text: String, _ kind: ImportKind = .vehicles) throws -> ImportFile {
    ImportFile(try CSVText(Array(text.utf8)), kind, ImportOptions())
  }

  private static func table(columns: Int) -> String {
    (1...columns).map { "c\($0)" }.joined(separator: ",") + "\n" + String(repeating: ",", count: columns - 1) + "\n"
  }

  @Test func columns_are_limited_in_all_formats() throws {
    let error = ImportError(line: 1, column: nil, message: "expected at most 1000 columns")
    #expect(throws: error) { try Self.file(Self.table(columns: 1_001)) }
    #expect(try CSVText(Array(Self.table(columns: 1_000).utf8)).rows.map(\.cells.count) == [1_000, 1_000])
    let members = (1...1_001).map { #""c\#($0)":1"# }.joined(separator: ",")
    #expect(throws: error) { try CSVText(json: Array("[{\(members)}]".utf8)) }
  }

  @Test func empty_objects_do_not_become_rows_of_many_cells() throws {
    let members = (1...1_000).map { #""c\#($0)":1"# }.joined(separator: ",")
    let text = "[{\(members)}" + String(repeating: ",{}", count: 100_000) + "]"
    #expect(throws: ImportError(line: 1_001, column: nil, message: "expected at most 1000000 cells; divide the file")) {
      try CSVText(json: Array(text.utf8))
    }
  }

  @Test func a_long_name_of_a_column_is_one_error() throws {
    let name = String(repeating: "n", count: 201)
    let file = try Self.file("id,\(name),\(name)\nA,1,2\n")
    #expect(
      file.errors == [
        ImportError(line: 1, column: 2, message: "expected the name of a column with at most 200 bytes, found 201")
      ])
    #expect(try Self.file("id,\(name.dropLast())\nA,1\n").errors.count == 1)
  }

  @Test func unknown_columns_have_short_errors() throws {
    let file = try Self.file(Self.table(columns: 1_000))
    #expect(file.errors.count == 21)
    #expect(file.errors.last?.message == "980 further unknown columns")
    #expect(file.errors.reduce(0) { $0 + $1.message.utf8.count } < 20_000)
  }

  @Test func errors_and_skipped_parts_are_limited() throws {
    let bad = "id,modelYear\n" + (1...4_000).map { "A\($0),x" }.joined(separator: "\n")
    let errors = try Self.file(bad).errors
    #expect(errors.count == 1_001 && errors.last?.message == "the errors of further rows are not listed")
    let sections = "## Vehicle\nName\nA\n" + String(repeating: "## X\nn\n1\n", count: 6_000)
    let rest = try Self.file(sections).rest
    #expect(rest.count == 5_001 && rest.last?.message == "1000 further parts of the file are not listed")
  }

  /// Texts that once needed time in proportion to the square of their length.
  @Test(arguments: [
    "quotes after spaces", "one long cell", "one long text in quotes", "short rows under a wide head",
    "positions under a wide head", "unused columns",
  ])
  func reading_takes_time_in_proportion_to_the_length(_ kind: String) throws {
    func text(_ count: Int) -> (String, ImportKind) {
      let wide = (1...min(count / 4, 990)).map { "c\($0)" }.joined(separator: ",")
      return switch kind {
      case "quotes after spaces":
        (
          "id,name\nA,\"" + String(repeating: " ", count: count) + "\"" + String(repeating: " \"", count: count),
          .vehicles
        )
      case "one long cell": ("id,name\nA," + String(repeating: "1.5 ", count: count), .vehicles)
      case "one long text in quotes":
        ("id,name\nA,\"" + String(repeating: "=;\n", count: count) + "\"\n", .vehicles)
      case "short rows under a wide head":
        ("id,name,createdAt,\(wide)\n" + String(repeating: "A\n", count: count), .vehicles)
      case "positions under a wide head":
        ("time,lat,lon,\(wide)\n" + String(repeating: "2026-05-04 10:00:00,48,16\n", count: count / 4), .tracks)
      default: ("time,lat,lon,\(wide)\n" + String(repeating: ",,,\n", count: count), .tracks)
      }
    }
    func seconds(_ count: Int) throws -> Double {
      let (text, kind) = text(count)
      let bytes = Array(text.utf8)
      return try (0..<3).map { _ in
        let start = Self.processorTime
        _ = ImportFile(try CSVText(bytes), kind, ImportOptions())
        return Self.processorTime - start
      }.min() ?? 0
    }
    // A file that is 8 times as long may take 24 times as long. With the square of the length, it would take 64 times.
    let (short, long) = (try seconds(2_000), try seconds(16_000))
    #expect(long < 24 * short, "\(short) s, \(long) s")
  }

  /// The time that the current thread has used a processor, in s.
  private static var processorTime: Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
