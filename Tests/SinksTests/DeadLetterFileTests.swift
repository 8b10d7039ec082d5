import Foundation
import TestKit
import Testing

@testable import Sinks
@testable import SinksTestKit

@Suite struct DeadLetterFileTests {
  @Test func the_dead_letter_file_stays_within_its_limit_and_keeps_the_newest_records() throws {
    let scratch = try ScratchFolder()
    let file = try #require(DeadLetterFile(folder: scratch.path, sink: "a", limit: 10_000))
    for number in 1...200 { try file.append([(Batches.line(number)[...], "no \"\n way")]) }
    let newest = try String(contentsOfFile: file.path, encoding: .utf8)
    let before = try String(contentsOfFile: file.path + ".1", encoding: .utf8)
    #expect(newest.utf8.count <= 10_000)
    #expect(before.utf8.count <= 10_000)
    let kept = try (before + newest).split(separator: "\n").map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    #expect(kept.allSatisfy { $0["reason"] as? String == "no \"\n way" && $0["sink"] as? String == "a" })
    let numbers = kept.compactMap { ($0["record"] as? [String: Any])?["seq"] as? Int }
    #expect(numbers == Array((201 - numbers.count)...200))
  }

  @Test func a_truncated_dead_letter_is_separated_from_the_next() throws {
    let scratch = try ScratchFolder()
    let file = try #require(DeadLetterFile(folder: scratch.path, sink: "a", limit: 10_000))
    try file.append([(Batches.line(1)[...], "first")])
    let whole = Array(try Data(contentsOf: URL(fileURLWithPath: file.path)))
    try Data(whole + whole.dropLast(20)).write(to: URL(fileURLWithPath: file.path))
    try file.append([(Batches.line(2)[...], "second")])
    let lines = try String(contentsOfFile: file.path, encoding: .utf8).split(separator: "\n")
    let reasons = lines.map { line in
      (try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["reason"] as? String
    }
    #expect(reasons == ["first", nil, "second"])
  }

  @Test func without_a_state_directory_there_is_no_dead_letter_file() {
    #expect(DeadLetterFile(folder: nil, sink: "a", limit: 1) == nil)
  }
}
