import TestKit
import Testing

/// The program as a whole: help, version, wrong usage.
@Suite struct UsageTests {
  @Test func the_version_is_one_line() throws {
    let result = try obdgate(["--version"])
    #expect(result.status == 0)
    #expect(result.lines.count == 1)
    #expect(result.output.contains { $0.isNumber })
    #expect(result.errors.isEmpty)
  }

  @Test(arguments: [
    ("replay", ["--format", "--speed", "--every", "--errors", "--signals", "--names", "--baud"]), ("decode", []),
    ("nmea", []), ("signals", ["--json", "--signals"]), ("bench", ["--iterations", "--json"]),
    ("status", ["--socket", "--json", "--once"]), ("tail", ["--socket", "--type", "--device", "--once"]),
    ("doctor", ["--config", "--socket", "--json"]),
  ])
  func help_names_every_option(command: String, options: [String]) throws {
    let asked = try obdgate([command, "--help"])
    #expect(asked.status == 0)
    #expect(asked.errors.isEmpty)
    for option in options { #expect(asked.output.contains(option)) }
    #expect(try obdgate(["help", command]).stdout == asked.stdout)
    #expect(try obdgate(["--help"]).output.contains(command))
  }

  @Test func help_names_formats_and_protocols_as_they_are_written() throws {
    let replay = try obdgate(["replay", "--help"]).output
    for format in ["capture", "raw", "python-obd", "obd2raw", "candump", "socat", "crtd", "nmea"] {
      #expect(replay.contains(format))
    }
    let decode = try obdgate(["decode", "--help"]).output
    for bus in ["auto", "can11", "can29", "kwp", "iso9141", "j1850pwm", "j1850vpw"] { #expect(decode.contains(bus)) }
  }

  @Test(arguments: [
    [], ["drive"], ["--wrong"], ["decode", "file"], ["signals", "rpm"], ["nmea", "--wrong"],
    ["bench", "--iterations", "x"],
  ])
  func wrong_usage_is_one_line_that_says_where_help_is(arguments: [String]) throws {
    let result = try obdgate(arguments)
    #expect(result.status == 64)
    #expect(result.stdout.isEmpty)
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(result.errors.hasPrefix("obdgate"))
    #expect(result.errors.contains("--help"))
  }
}
