import Foundation
import Glibc
import TestKit
import Testing

@testable import DaemonTestKit

/// Arguments, `--check`, and exit codes (sysexits.h).
@Suite struct ArgumentsTests {
  private func run(_ arguments: [String], directory: String? = nil) throws -> Tool.Result {
    let program = try Tool.obdgated
    return try Tool.run(program, arguments, directory: directory, limit: .seconds(60))
  }

  @Test(arguments: [
    ["--frobnicate"], ["--config"], ["gateway.json"], ["--check", "--check=1"],
    ["--config", "a.json", "--config", "b.json", "--check"], ["--config=a.json", "--config=a.json", "--check"],
  ])
  func wrong_usage_is_64_and_one_line(_ arguments: [String]) throws {
    let result = try run(arguments)
    #expect(result.status == 64)
    #expect(result.output == "")
    #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
  }

  @Test func the_example_of_the_project_is_right_once_its_files_are_there() throws {
    let scratch = try ScratchFolder()
    let example = try String(contentsOfFile: TestData.projectRoot + "/config.example.json", encoding: .utf8)
    let file = try scratch.write("config.json", example)
    for (name, content) in [
      ("fences.geojson", #"{"type": "FeatureCollection", "features": []}"#), ("Ford-F-150.json", #"{"commands": []}"#),
    ] {
      let missing = try run(["--config", file, "--check"])
      #expect(missing.status == 66)
      #expect(missing.errors.contains(name), "\(missing.errors)")
      try scratch.write(name, content)
    }
    let result = try run(["--config", file, "--check"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output == "")
  }

  @Test func a_configuration_that_is_not_there_is_66() throws {
    let result = try run(["--config", "/nowhere/gateway.json", "--check"])
    #expect(result.status == 66)
    #expect(result.errors.contains("/nowhere/gateway.json"))
  }

  @Test(arguments: [
    (#"{"adapters": [}"#, "gateway.json:1:15:"),
    (#"{"poll": {"signals": {"rmp": 1}}}"#, "rmp"),
    (#"{"record": {"period": "fast"}}"#, "record.period"),
  ])
  func a_configuration_that_is_wrong_is_78_and_says_where(_ row: (text: String, place: String)) throws {
    let scratch = try ScratchFolder()
    let file = try scratch.write("gateway.json", row.text)
    let result = try run(["--config", file, "--check"])
    #expect(result.status == 78)
    #expect(result.errors.contains(row.place), "\(result.errors)")
    #expect(result.errors.contains("gateway.json"), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
  }

  @Test func a_world_readable_pin_is_the_only_warning() throws {
    let scratch = try ScratchFolder()
    let file = try scratch.write("gateway.json", #"{"adapters": [{"rfcomm": "AA:BB:CC:00:00:01", "pin": "6789"}]}"#)
    unsafe chmod(file, 0o644)
    let open = try run(["--config", file, "--check"])
    #expect(open.status == 0)
    #expect(open.errors.split(separator: "\n").count == 1 && open.errors.contains("pinFile"), "\(open.errors)")
    #expect(!open.errors.contains("6789"))
    unsafe chmod(file, 0o640)
    #expect(try run(["--config", file, "--check"]).errors == "")
  }

  @Test func version_and_help_go_to_stdout() throws {
    let version = try run(["--version"])
    let help = try run(["--help"])
    #expect(version.status == 0 && version.lines.count == 1)
    #expect(help.status == 0 && help.output.contains("--check") && help.errors == "")
  }
}
