import Foundation
import TestKit
import Testing

/// `replay` of files that are not captures, or are incomplete. The records before the fault are delivered.
@Suite struct ReplayBadInputTests {
  private static let good = "010C\r41 0C 1A F8 \r\r>"

  /// Runs a replay that must fail.
  ///
  /// - Returns: the result; its only line on stderr names the place of the fault.
  private func refused(_ arguments: [String], stdin: [UInt8]? = nil, status: Int32) throws -> Tool.Result {
    let result = try obdgate(arguments, stdin: stdin)
    #expect(result.status == status, "\(arguments): \(result.errors)")
    #expect(!result.errors.isEmpty)
    return result
  }

  @Test func a_missing_file_and_a_directory_are_no_input() throws {
    let scratch = try ScratchFolder()
    for path in [scratch.path, scratch.file("none.capture")] {
      let result = try refused(["replay", path], status: 66)
      #expect(result.stdout.isEmpty)
      #expect(result.errors.contains(path))
      #expect(result.errors.split(separator: "\n").count == 1)
    }
  }

  @Test func empty_binary_and_unknown_are_bad_data() throws {
    let scratch = try ScratchFolder()
    let noise = (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 3) }
    for (content, word) in [([], "empty"), (noise, "binary"), ([0x7F] + Array("ELF\u{2}\u{1}\u{1}".utf8), "binary")] {
      let result = try refused(["replay", try scratch.write("x", content)], status: 65)
      #expect(result.stdout.isEmpty)
      #expect(result.errors.contains(word))
      #expect(try refused(["replay", "-"], stdin: content, status: 65).stdout.isEmpty)
    }
  }

  @Test func an_unknown_format_names_the_first_line_that_fits_none() throws {
    let prose = try refused(["replay", "-"], stdin: Array("dear diary\ntoday I drove\n".utf8), status: 65)
    #expect(prose.errors.contains("line 1"))
    #expect(prose.errors.contains("dear diary"))
    let later = try refused(["replay", "-"], stdin: Array("\n\nlat;lon;speed\n1;2;3\n".utf8), status: 65)
    #expect(later.errors.contains("line 3"))
    #expect(later.errors.contains("lat;lon;speed"))
    let version = try refused(["replay", "-"], stdin: Array("# obdgate-capture 9\n".utf8), status: 65)
    #expect(version.errors.contains("line 1"))
  }

  @Test func a_damaged_line_of_a_known_format_is_named() throws {
    let text = "# obdgate-capture 1\n# provenance: none\n0.1 > 010C\\r\n0.2 < 41 0C 1A F8 \\r\\r>\n0.3 ? what\n"
    let result = try refused(["replay", "-"], stdin: Array(text.utf8), status: 65)
    #expect(result.errors.contains("line 5"))
    #expect(try records(result).map { $0["rpm"] } == [1726])
  }

  @Test(arguments: [
    good + "010D\r41 0", good + "010D\r41 0D 2A \r", good + "010D\r",
    "# obdgate-capture 1\n# provenance: none\n0.1 > 010C\\r\n0.2 < 41 0C 1A F8 \\r\\r>\n0.3 > 010D\\r\n0.4 < 41 0",
  ])
  func a_capture_that_ends_mid_reply_delivers_what_came_before(text: String) throws {
    let result = try refused(["replay", "-"], stdin: bytes(text), status: 65)
    #expect(try records(result).last?["rpm"] == 1726 || records(result).first?["rpm"] == 1726)
    #expect(result.errors.contains("mid-reply"))
  }

  @Test func a_truncated_capture_delivers_what_came_before() throws {
    let content = try [UInt8](Data(contentsOf: URL(fileURLWithPath: capture("drive"))))
    let whole = try obdgate(["replay", "-"], stdin: content).lines
    // The file is cut within the reply that is nearest to its middle.
    let middle = content.count / 2
    let mark = try #require(content[middle...].firstRange(of: Array(" < 7E8 ".utf8)))
    let result = try refused(["replay", "-"], stdin: Array(content[..<(mark.upperBound + 3)]), status: 65)
    #expect(result.lines.count > whole.count / 3)
    // The values are the same. The ids differ, because they depend on the bytes. The last records are caused by the cut
    // itself: the trip ends there.
    let ids: Set<String> = ["id", "epoch", "tripId"]
    let values = try whole.map { try PrintedJSON($0).without(ids) }
    let found = try result.lines.map { try PrintedJSON($0).without(ids) }
    #expect(found.dropLast(5).elementsEqual(values.prefix(found.count - 5)))
  }

  @Test func an_endless_line_ends_a_replay_with_little_memory() throws {
    let program = try Tool.obdgate
    for (prefix, fill) in [("", "A"), ("", "4"), ("", " "), ("010C\\r41 0C 1A F8 \\r\\r>010D\\r", "4")] {
      let result = try Tool.shell(
        "(ulimit -v 2000000; (printf '\(prefix)'; head -c 1000000000 /dev/zero | tr '\\0' '\(fill)') 2>/dev/null"
          + " | '\(program)' replay -)", limit: .seconds(60))
      #expect(result.errors.contains("1 MiB"), "\(result.errors)")
      if !prefix.isEmpty { #expect(try records(result).map { $0["rpm"] } == [1726]) }
    }
    let long = Array(Self.good.utf8) + [UInt8](repeating: 0x34, count: 8 << 20)
    let measured = try MeasuredRun.of(program, ["replay", "-"], stdin: long)
    #expect(measured.result.status == 65)
    #expect(measured.peakKiB < 60 * 1024)
  }

  @Test func a_bad_capture_does_not_prevent_the_others() throws {
    let scratch = try ScratchFolder()
    let good = try scratch.write("good.txt", Self.good)
    let result = try refused(["replay", scratch.file("none"), good, try scratch.write("empty", "")], status: 66)
    #expect(try records(result).map { $0["rpm"] } == [1726])
    #expect(result.errors.split(separator: "\n").count == 2)
  }

  @Test func an_output_that_cannot_be_written_is_reported() throws {
    let program = try Tool.obdgate
    let result = try Tool.shell("'\(program)' replay '\(capture("drive"))' > /dev/full")
    #expect(result.status == 74)
    #expect(result.errors.split(separator: "\n").count == 1)
  }
}
