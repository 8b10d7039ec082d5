import Foundation
import TestKit
import Testing

/// `record`: a capture of a live dialogue has every byte, and its replay gives the values of the vehicle.
@Suite struct RecordCommandTests {
  /// A recording, the simulator's own log of it, and its replay.
  struct Recording: Sendable {
    let result: Tool.Result
    let capture: String
    let log: DialogueText
    let replay: Tool.Result
  }

  /// Records a dialogue with a simulated adapter.
  ///
  /// - Parameters:
  ///   - command: the command line, in which `RECORD` stands for `obdgate record` with device and file.
  ///   - place: the kind of port. Over TCP, every byte that the simulator sent arrives, however busy the machine is.
  private func record(
    _ command: String, scenario: String = Scenarios.can, faults: String? = nil, at place: Simulation.Place = .tcp
  ) async throws -> Recording {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let line = command.replacing("RECORD", with: "\"$OBDGATE\" record --device \"$D0\" -o out.capture")
      let played = try play(
        line, beside: [Simulation(scenario: scenario, faults: faults, place: place)], in: scratch.path)
      let file = scratch.file("out.capture")
      return Recording(
        result: played.result, capture: try String(contentsOfFile: file, encoding: .utf8), log: played.logs[0],
        replay: try obdgate(["replay", file]))
    }
  }

  @Test func a_recording_has_every_byte_and_replays_to_the_vehicles_values() async throws {
    let recording = try await record("RECORD --duration 15")
    #expect(recording.result.status == 0, "\(recording.result.errors)")
    #expect(recording.result.stdout.isEmpty)
    // The recording may wait for the answer to the last request.
    #expect(recording.result.errors.contains(/[0-9] replies in (1[5-9]|2[0-9]) s/), "\(recording.result.errors)")
    #expect(DialogueText(recording.capture) == recording.log)
    #expect(recording.replay.status == 0, "\(recording.replay.errors)")
    let records = try records(recording.replay)
    #expect(records.of("vehicle").last?["vin"] == "1D4GP00RX5B123456")
    #expect(records.of("dtc").contains { $0["ecu"] == "7E8" && $0["dtcCodes"] == ["P0420"] })
    let telemetry = records.of("telemetry")
    #expect(
      telemetry.contains {
        $0.only("rpm", "speed", "coolantTemp")
          == .object([
            "rpm": 0, "speed": 0, "coolantTemp": 17,
          ])
      })
    #expect(telemetry.contains { $0["batteryVoltage"] == 12.4 })
    // The date of the recording.
    #expect(records.allSatisfy { $0["timeQuality"] == "system" })
  }

  @Test func the_head_names_the_adapter_and_the_time() async throws {
    let recording = try await record("RECORD --duration 8")
    let lines = recording.capture.split(separator: "\n")
    #expect(lines.first == "# obdgate-capture 1")
    #expect(lines.dropFirst().first?.hasPrefix("# adapter: ELM327 v1.5   recorded: 20") == true)
    #expect(lines.dropFirst(2).first?.hasSuffix("> ATZ\\r") == true)
  }

  @Test(arguments: ["INT", "TERM", "HUP"])
  func a_signal_ends_a_recording_with_a_complete_file(_ signal: String) async throws {
    let recording = try await record("timeout --preserve-status -s \(signal) 15 RECORD")
    #expect(recording.result.status == 0, "\(recording.result.errors)")
    #expect(recording.capture.hasSuffix(">\n"))
    #expect(DialogueText(recording.capture) == recording.log)
    #expect(recording.replay.status == 0, "\(recording.replay.errors)")
  }

  @Test func a_recording_keeps_the_bytes_before_an_unplugged_adapter() async throws {
    let recording = try await record("RECORD --duration 600", faults: "unplug@20s", at: .pty)
    #expect(recording.result.status == 69, "\(recording.result.errors)")
    #expect(recording.result.errors.contains("gone"))
    #expect(recording.result.elapsed < .seconds(120))
    #expect(try PrintedJSON.lines(recording.replay.output).of("vehicle").last?["vin"] == "1D4GP00RX5B123456")
  }

  @Test func a_device_that_is_missing_leaves_no_file() throws {
    let scratch = try ScratchFolder()
    let result = try obdgate(["record", "--device", "/dev/nowhere", "-o", scratch.file("out")])
    #expect(result.status == 69)
    #expect(!FileManager.default.fileExists(atPath: scratch.file("out")))
  }

  @Test func an_output_file_that_cannot_be_created_is_reported() async throws {
    let result = try await query("record", "-o", "/dev/null/out", "--duration", "1").result
    #expect(result.status == 74)
    #expect(result.errors.contains("/dev/null/out: cannot be written"))
  }

  @Test func recording_from_a_gps_receiver_in_the_adapters_place_is_reported() async throws {
    let result = try await query("record", "-o", "/dev/null", "--duration", "30", faults: "gps").result
    #expect(result.status == 69)
    #expect(result.errors.contains("GPS receiver"))
  }
}
