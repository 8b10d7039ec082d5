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
    let without = try run(["--config", file, "--check"])
    #expect(without.status == 78 && without.errors.contains("sinks[2].tokenFile"), "\(without.errors)")
    try scratch.write("token", "secret\n")
    unsafe chmod(scratch.file("token"), 0o600)
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

  @Test func check_reports_every_file_that_cannot_be_used() throws {
    let scratch = try ScratchFolder()
    try scratch.write("file", "x")
    try scratch.write("open", "secret\n")
    unsafe chmod(scratch.file("open"), 0o644)
    try scratch.write("two", "a\nb\n")
    unsafe chmod(scratch.file("two"), 0o600)
    let file = try scratch.write(
      "gateway.json",
      """
      {"stateDirectory": "file/state", "status": {"socket": "none/obdgated.sock"},
       "adapters": [{"rfcomm": "AA:BB:CC:00:00:01", "pinFile": "no.pin"}],
       "sinks": [
        {"type": "file", "path": "none/records.jsonl"},
        {"type": "fleetStore", "url": "https://fleet.example/api", "tokenFile": "open", "tls": {"caFile": "file"}},
        {"type": "mqtt", "url": "mqtts://fleet.example", "userFile": "two", "passwordFile": "no.password",
         "tls": {"certificateFile": "no.pem", "keyFile": "file"}},
        {"type": "file", "name": "folder", "path": "\(scratch.path)"}]}
      """)
    let result = try run(["--config", file, "--check"])
    #expect(result.status == 78 && result.output == "")
    let folder = scratch.path
    let expected = [
      "adapters[0].pinFile: \(folder)/no.pin: cannot be read: No such file or directory",
      "sinks[0].path: \(folder)/none: No such file or directory; make this folder, or name another file",
      "sinks[1].tokenFile: \(folder)/open: everyone can read or write this secret; make it a file of the daemon's user with chmod 600",
      "sinks[1].tls.caFile: \(folder)/file: expected a certificate in PEM form, found none",
      "sinks[2].userFile: \(folder)/two: expected one line of printable ASCII",
      "sinks[2].passwordFile: \(folder)/no.password: cannot be read: No such file or directory",
      "sinks[2].tls.certificateFile: \(folder)/no.pem: cannot be read: No such file or directory",
      "sinks[2].tls.keyFile: \(folder)/file: expected a private key in PEM form, found none",
      "sinks[3].path: \(folder): a folder, expected a file",
      "stateDirectory: \(folder)/file/state: Not a directory",
      "status.socket: \(folder)/none: No such file or directory",
    ]
    let lines = result.errors.split(separator: "\n").map(String.init)
    #expect(lines == expected.map { "obdgated: \(file): \($0)" })
    // Nothing was made.
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 4)
    #expect(!result.errors.contains("secret\n"))
  }

  @Test(arguments: ["a/b/c", "a"], [true, false])
  func check_accepts_a_state_directory_that_can_be_made(_ folder: String, isConfigurationNamedByPath: Bool) throws {
    let scratch = try ScratchFolder()
    let file = try scratch.write("gateway.json", #"{"stateDirectory": "\#(folder)"}"#)
    let name = isConfigurationNamedByPath ? file : "gateway.json"
    let result = try run(["--config", name, "--check"], directory: scratch.path)
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: scratch.file("a")))
  }

  @Test func a_second_daemon_with_the_same_state_directory_ends_with_one_line() throws {
    let scratch = try ScratchFolder()
    let file = try scratch.write(
      "gateway.json",
      #"{"stateDirectory": "state", "status": {"socket": "socket"}, "discovery": {"serial": false, "bluetooth": false}}"#
    )
    let first = try RunningProgram(try Tool.obdgated, ["--config", file])
    defer { first.kill() }
    // The socket is made after the lock.
    while !FileManager.default.fileExists(atPath: scratch.file("socket")) { _ = poll(nil, 0, 5) }
    let second = try run(["--config", file])
    #expect(second.status == 69 && second.output == "")
    #expect(
      second.errors
        == "obdgated: stateDirectory: \(scratch.path)/state: another obdgated uses it; stop that one, or name another folder\n"
    )
    first.send(SIGTERM)
    _ = try first.end(within: .seconds(60))
  }

  @Test func version_and_help_go_to_stdout() throws {
    let version = try run(["--version"])
    let help = try run(["--help"])
    #expect(version.status == 0 && version.lines.count == 1)
    #expect(help.status == 0 && help.output.contains("--check") && help.errors == "")
  }
}
