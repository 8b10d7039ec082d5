import Foundation
import TestKit
import Testing

/// Requests without an answer. Expected: one line with the fault, its place and a remedy; an exit status; and no
/// record.
@Suite struct NoAnswerTests {
  private func expectFailure(_ result: Tool.Result, _ status: Int32, _ words: String...) {
    #expect(result.status == status, "\(result.errors)")
    #expect(result.stdout.isEmpty)
    #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    for word in words { #expect(result.errors.contains(word), "\(word): \(result.errors)") }
  }

  @Test(arguments: ["vin", "info", "dtc", "monitors"])
  func a_device_that_is_not_there(_ command: String) throws {
    expectFailure(try obdgate([command, "--device", "/dev/nowhere"]), 69, "obdgate \(command): /dev/nowhere: no such")
  }

  @Test func a_closed_tcp_port_is_reported_as_no_answer() throws {
    expectFailure(try obdgate(["vin", "--device", "127.0.0.1:1"]), 69, "127.0.0.1:1")
  }

  @Test func a_file_that_is_not_a_serial_device_gives_an_error() throws {
    let scratch = try ScratchFolder()
    expectFailure(try obdgate(["vin", "--device", try scratch.write("file", "")]), 69, "file")
  }

  @Test func a_silent_device_is_reported_as_no_answer() async throws {
    let result = try await runBlocking {
      let scratch = try ScratchFolder()
      let line = "\"$OBDGATE\" info --json --device \"$D0@38400\""
      return try play(line, beside: [Simulation(faults: "silent")], in: scratch.path).result
    }
    expectFailure(result, 69, "no answer")
  }

  @Test func a_silent_device_of_unknown_rate_costs_no_more_than_the_time_limit() async throws {
    let result = try await query("vin", "--timeout", "3", faults: "silent").result
    expectFailure(result, 69, "no adapter answers within 3 s")
    // Trying all rates would take 44 s.
    #expect(result.elapsed < .seconds(40))
  }

  @Test func a_gps_receiver_in_place_of_the_adapter_is_recognised() async throws {
    let result = try await query("vin", faults: "gps").result
    expectFailure(result, 69, "GPS receiver")
  }

  @Test func a_vehicle_whose_ignition_is_off_leaves_the_adapters_facts() async throws {
    let result = try await query("info", "--json", faults: "ignitionOff").result
    #expect(result.status == 69)
    #expect(result.errors.contains("the vehicle does not answer (unableToConnect): turn the ignition on"))
    let lines = try PrintedJSON.lines(result.output)
    #expect(lines.count == 1)
    #expect(lines.first?["identity"] == "ELM327 v1.5")
    #expect(lines.first?["protocol"] == nil)
    #expect(lines.first?["ecus"] == [])
  }

  @Test func the_time_limit_says_how_far_it_came() async throws {
    // The search for a protocol takes 20 s.
    let result = try await query("vin", "--timeout", "8", faults: "ignitionOff").result
    expectFailure(result, 69, "no vehicle answers within 8 s", "--timeout")
  }

  @Test func an_adapter_in_use_is_busy() async throws {
    let result = try await runBlocking {
      let scratch = try ScratchFolder()
      // The process that uses a port holds a lock on it (flock), as other programs do.
      let line = "flock \"$D0\" \"$OBDGATE\" vin --device \"$D0\""
      return try play(line, beside: [Simulation()], in: scratch.path).result
    }
    expectFailure(result, 69, "busy")
  }

  @Test(arguments: [
    ["vin", "--device", "elsewhere"], ["info", "--device", "/dev/ttyUSB0@fast"], ["dtc", "--timeout", "0"],
    ["monitors", "--device", "rfcomm:00:11"], ["dtc", "clear"], ["record"],
    ["record", "-o", "x", "--duration", "0"], ["scan", "here"],
  ])
  func wrong_usage_is_one_line(_ arguments: [String]) throws {
    expectFailure(try obdgate(arguments), 64, "obdgate \(arguments[0])", "--help")
  }

  @Test(arguments: [
    ("scan", ["--json"]), ("info", ["--device", "--json", "--plan", "--timeout"]), ("vin", ["--device", "--json"]),
    ("dtc", ["--device", "--json", "--texts", "clear"]), ("monitors", ["--device", "--json"]),
    ("record", ["--device", "--output", "--duration"]),
  ])
  func help_names_every_option(command: String, options: [String]) throws {
    let help = try obdgate([command, "--help"]).output
    for option in options { #expect(help.contains(option), "\(command) \(option)") }
    #expect(try obdgate(["--help"]).output.contains(command))
  }
}
