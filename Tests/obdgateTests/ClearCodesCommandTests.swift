import TestKit
import Testing

/// `dtc clear --yes` clears only codes that it has printed, and only if the vehicle is stationary with its engine off.
@Suite struct ClearCodesCommandTests {
  @Test func codes_are_printed_then_cleared_and_what_is_left_is_printed() async throws {
    let played = try await query("dtc", "clear", "--yes", "--json", scenario: Scenarios.can)
    let (result, commands) = (played.result, played.commands)
    #expect(result.status == 0, "\(result.errors)")
    let engine = try PrintedJSON.lines(result.output).filter { $0["ecu"] == "7E8" }
    #expect(engine.count == 2)
    #expect(engine.first?["event"] == "snapshot")
    #expect(engine.first?["dtcCodes"] == ["P0420"])
    #expect(engine.first?["freezeFrame"]?["dtc"] == "P0420")
    #expect(engine.last?["dtcCodes"] == [])
    #expect(engine.last?["pending"] == [])
    // Only a repair removes a permanent code.
    #expect(engine.last?["permanent"] == ["P0420"])
    #expect(engine.last?["mil"] == false)
    let cleared = try #require(commands.firstIndex(of: "04"))
    #expect(commands.filter { $0 == "04" }.count == 1)
    for saved in ["03", "07", "0A"] { #expect(commands[..<cleared].contains(saved), "\(saved)") }
    #expect(commands[..<cleared].contains { $0.hasPrefix("02") })
  }

  @Test func the_text_output_reports_cleared_codes() async throws {
    let result = try await query("dtc", "clear", "--yes", scenario: Scenarios.can).result
    #expect(result.status == 0)
    #expect(result.errors == "obdgate dtc clear: the codes are cleared\n")
    #expect(result.lines.filter { $0 == "  stored     none" }.count == 2)
  }

  @Test func a_running_engine_is_a_refusal_and_nothing_is_sent() async throws {
    let played = try await query("dtc", "clear", "--yes", "--json", scenario: Scenarios.running)
    let (result, commands) = (played.result, played.commands)
    #expect(result.status == 1)
    #expect(
      result.errors
        == "obdgate dtc clear: codes not cleared: the engine is running: switch it off and the ignition on\n")
    #expect(try PrintedJSON.lines(result.output).first?["dtcCodes"] == ["P0420"])
    #expect(!commands.contains("04"))
  }

  @Test func a_vehicle_that_refuses_to_clear_its_codes_is_reported() async throws {
    let result = try await query("dtc", "clear", "--yes", scenario: Scenarios.can, faults: "negative=04:22").result
    #expect(result.status == 1)
    #expect(result.errors.contains("the vehicle refuses"))
  }

  @Test func codes_that_cannot_be_written_out_are_not_cleared() async throws {
    let played = try await runBlocking {
      let scratch = try ScratchFolder()
      let line = "\"$OBDGATE\" dtc clear --yes --json --device \"$D0\" >/dev/full"
      return try play(line, beside: [Simulation(scenario: Scenarios.can)], in: scratch.path)
    }
    let (result, commands) = (played.result, played.commands)
    #expect(result.status == 74, "\(result.errors)")
    #expect(!commands.contains("04"))
    #expect(commands.contains("03"))
  }

  /// The lamp is on: there are codes that were not reported.
  @Test func unreported_codes_are_not_cleared() async throws {
    let played = try await query("dtc", "clear", "--yes", scenario: Scenarios.can, faults: "noData=03")
    #expect(played.result.status == 1)
    #expect(played.result.errors.contains("not cleared: "), "\(played.result.errors)")
    #expect(!played.commands.contains("04"))
  }

  /// Each code is in the output before the state after the clearing, even if many lines were damaged.
  @Test func codes_over_a_bad_connection_are_printed_or_not_cleared() async throws {
    for _ in 0..<3 {
      let played = try await query("dtc", "clear", "--yes", "--json", scenario: Scenarios.can, faults: "truncate=0.3")
      guard played.commands.contains("04") else { continue }
      let before = try PrintedJSON.lines(played.result.output).prefix { $0["event"] != "cleared" }
      #expect(before.contains { $0["dtcCodes"] == ["P0420"] }, "\(played.result.output)")
    }
  }

  @Test func a_wait_is_reported_where_no_terminal_shows_it() async throws {
    let played = try await query("dtc", "clear", "--yes", "--timeout", "9", faults: "silent")
    #expect(played.result.status == 69)
    let lines = played.result.errors.split(separator: "\n")
    #expect(lines.count == 2, "\(lines)")
    let report = /obdgate dtc clear: waiting for the adapter, for at most [1-4] s more/
    #expect(lines.first?.wholeMatch(of: report) != nil, "\(lines)")
    #expect(lines.last?.contains("no adapter answers within 9 s") == true, "\(lines)")
  }

  @Test func without_yes_no_device_is_opened() throws {
    let result = try obdgate(["dtc", "clear", "--device", "/dev/nowhere"])
    #expect(result.status == 64)
    #expect(result.errors.contains("--yes"))
    #expect(result.errors.split(separator: "\n").count == 1)
  }
}
