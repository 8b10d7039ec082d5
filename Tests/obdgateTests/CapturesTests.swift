import Foundation
import TestKit
import Testing

/// Each bundled capture compared with the files that belong to it, by the rules of captures/README.md.
@Suite struct CapturesTests {
  @Test func at_least_fourteen_captures_have_an_expectation_and_a_provenance() throws {
    #expect(captureNames.count >= 14)
    for name in captureNames {
      let header = try String(contentsOfFile: capture(name), encoding: .utf8).split(separator: "\n").prefix(2)
      #expect(header.first == "# obdgate-capture 1")
      #expect(header.last?.contains("provenance: ") == true, "\(name)")
      #expect(try !expectations(of: name).isEmpty, "\(name)")
    }
  }

  @Test(arguments: captureNames) func a_capture_gives_its_expected_records(name: String) throws {
    let result = try obdgate(["replay", capture(name)])
    #expect(result.status == 0)
    let found = try records(result)
    let expected = try expectations(of: name)
    let types = Set(expected.compactMap { $0["type"]?.text }).union(["telemetry", "vehicle", "dtc", "monitors"])
    for type in types.sorted() {
      let wanted = expected.of(type)
      let given = found.of(type)
      if ["telemetry", "vehicle", "dtc", "monitors"].contains(type) {
        #expect(given.count == wanted.count, "\(name): number of \(type) records")
      }
      for (index, pair) in zip(wanted, given).enumerated() {
        compare(pair.0, pair.1, "\(name): \(type) \(index)")
      }
    }
  }

  @Test(arguments: captureNames) func a_replay_is_the_same_byte_for_byte(name: String) throws {
    let first = try obdgate(["replay", capture(name)])
    #expect(try obdgate(["replay", capture(name)]).stdout == first.stdout)
    let content = try [UInt8](Data(contentsOf: URL(fileURLWithPath: capture(name))))
    let piped = try obdgate(["replay", "-"], stdin: content)
    #expect(piped.stdout == first.stdout)
    #expect(piped.status == 0)
  }

  private func expectations(of name: String) throws -> [PrintedJSON] {
    let path = TestData.projectRoot + "/captures/\(name).expected.jsonl"
    return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { try PrintedJSON($0) }
  }

  private func compare(_ wanted: PrintedJSON, _ given: PrintedJSON, _ place: String) {
    for (key, value) in wanted.members {
      if key == "absent" {
        for name in value.elements.compactMap(\.text) { #expect(given[name] == nil, "\(place): \(name) is there") }
      } else if case .object = value, let inner = given[key] {
        compare(value, inner, "\(place).\(key)")
      } else if let found = given[key] {
        #expect(found.isClose(to: value), "\(place).\(key): \(found), expected \(value)")
      } else {
        Issue.record("\(place): \(key) is not there, expected \(value)")
      }
    }
  }
}
