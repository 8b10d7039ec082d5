import Foundation
import TestKit
import Testing

/// docs/Security.md names a test for each countermeasure; each of these tests exists.
@Suite struct SecurityPageTests {
  /// A suite, and the name of one of its tests; `nil` if the page names the whole suite.
  private struct Named: Hashable, CustomStringConvertible {
    let suite: String
    let test: String?

    var description: String { test.map { "\(suite).\($0)" } ?? suite }
  }

  /// Returns the tests that a line of the page names in code spans. A name without a suite belongs to the suite before
  /// it.
  private static func tests(in line: Substring) -> [Named] {
    var suite: String?
    var found: [Named] = []
    for span in line.split(separator: "`", omittingEmptySubsequences: false).enumerated() where span.offset % 2 == 1 {
      let text = span.element
      if let match = text.wholeMatch(of: /([A-Z]\w*Tests)(?:\.(\w+))?/) {
        suite = String(match.1)
        found.append(Named(suite: String(match.1), test: match.2.map(String.init)))
      } else if let suite, text.wholeMatch(of: /[a-z0-9]+(_\w+)+/) != nil, text.contains("_") {
        found.append(Named(suite: suite, test: String(text)))
      }
    }
    return found
  }

  /// For each suite, the names of the functions in the files that declare or extend it.
  private static func suites() throws -> [String: Set<String>] {
    var suites: [String: Set<String>] = [:]
    for path in try ProjectTree.files() where path.hasPrefix("Tests/") && path.hasSuffix(".swift") {
      let text = try ProjectTree.text(path)
      let functions = text.matches(of: /func (\w+)\(/).map { String($0.1) }
      for match in text.matches(of: /(?:struct|class|extension) (\w+Tests)\b/) {
        suites[String(match.1), default: []].formUnion(functions)
      }
    }
    return suites
  }

  private static func page() throws -> [Substring] { try ProjectTree.text("docs/Security.md").split(separator: "\n") }

  @Test func names_of_tests_are_found_in_a_line() {
    #expect(
      Self.tests(in: "| a | b `x_y` | `ATests.one_two`, `three_four`; `BTests` (`POST /x`) |") == [
        Named(suite: "ATests", test: "one_two"), Named(suite: "ATests", test: "three_four"),
        Named(suite: "BTests", test: nil),
      ])
  }

  @Test func every_test_that_the_page_names_exists() throws {
    let suites = try Self.suites()
    let named = Set(try Self.page().flatMap { Self.tests(in: $0) })
    #expect(named.count > 60)
    for test in named {
      let functions = suites[test.suite]
      #expect(functions != nil, "\(test): no such suite")
      if let name = test.test { #expect(functions?.contains(name) == true, "\(test): no such test") }
    }
  }

  /// OWASP ASVS 5.0: the sections of which the page has at least one row.
  private static let sections = [
    "2.1", "2.2", "2.3", "2.4", "3.3", "3.4", "3.5", "6.1", "6.2", "6.3", "6.4", "6.5", "6.6", "6.8", "7.1", "7.2",
    "7.3",
    "7.4", "7.5", "7.6", "8.1", "8.2", "8.3", "8.4", "10.1", "10.2", "10.3", "10.4", "10.5",
  ]

  @Test func every_section_of_the_standard_has_rows_with_a_test_or_a_reason() throws {
    let rows = try Self.page().filter { $0.firstMatch(of: /^\| (?:the rest of )?\d+\.\d/) != nil }
    for section in Self.sections {
      let prefix = section + "."
      let rows = rows.filter { row in
        row.split(separator: "|")[0].split(whereSeparator: { " ,".contains($0) }).contains { $0.hasPrefix(prefix) }
      }
      #expect(!rows.isEmpty, "\(section)")
    }
    for row in rows {
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      #expect(cells.count == 3 && !cells[1].isEmpty, "\(row)")
      #expect(cells[2] == "—" || !Self.tests(in: cells[2][...]).isEmpty, "\(row): names no test")
    }
  }
}
