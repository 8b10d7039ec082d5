import Foundation
import TestKit
import Testing

/// Libraries in the release build of `obdgate`: FoundationEssentials, which the command-line parser needs, but neither
/// Foundation itself nor ICU, whose tables have 40 MB.
@Suite struct LinkageTests {
  @Test func release_build_holds_no_foundation_beyond_essentials_and_no_icu() throws {
    let obdgate = try Tool.releaseObdgate
    #expect(try Self.traces(in: obdgate) == [])
  }

  /// The daemon contains neither Foundation nor the command-line parser in any form, and no regular expressions. A
  /// single `contains` that searches a text in another one would add 1.4 MB of regular expressions.
  @Test func the_daemon_holds_no_foundation_no_command_line_parser_and_no_regular_expressions() throws {
    let obdgated = try Tool.obdgated
    let loaded = try Tool.run("ldd", [obdgated])
    #expect(loaded.status == 0, "\(loaded.errors)")
    #expect(!loaded.output.contains("Foundation"), "\(loaded.output)")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: obdgated), options: .alwaysMapped)
    let marks = ["FoundationEssentials", "ArgumentParser", "icudt", "17_StringProcessing"].filter {
      bytes.range(of: Data($0.utf8)) != nil
    }
    #expect(marks == [])
  }

  @Test(arguments: [true, false])
  func the_check_sees_icu_linked_either_way(_ isStatic: Bool) throws {
    let scratch = try ScratchFolder()
    let source = try scratch.write(
      "date.swift", "import Foundation\nprint(DateFormatter().string(from: Date(timeIntervalSince1970: 0)))\n")
    let built = try Tool.run(
      "swiftc", (isStatic ? ["-static-stdlib"] : []) + [source, "-Xlinker", "-s", "-o", scratch.file("date")],
      limit: .seconds(300))
    #expect(built.status == 0, "\(built.errors)")
    #expect(try Self.traces(in: scratch.file("date")) != [])
  }

  /// Returns the shared libraries that the program loads, and the marks that static libraries leave in it even if it is
  /// stripped.
  private static func traces(in program: String) throws -> [String] {
    let loaded = try Tool.run("ldd", [program])
    #expect(loaded.status == 0, "\(loaded.errors)")
    let libraries = loaded.lines.compactMap { $0.split(whereSeparator: \.isWhitespace).first.map(String.init) }
      .filter { $0.hasPrefix("libFoundation") && !$0.hasPrefix("libFoundationEssentials") || $0.contains("ICU") }
    let bytes = try Data(contentsOf: URL(fileURLWithPath: program), options: .alwaysMapped)
    // The name of ICU's data table, and the module names in Swift's metadata.
    let marks = ["icudt", "FoundationInternationalization", "_FoundationICU"].filter {
      bytes.range(of: Data($0.utf8)) != nil
    }
    return libraries + marks
  }
}
