import Foundation
import TestKit
import Testing

/// `replay`: time, identity and options.
@Suite struct ReplayTests {
  private static let raw = "ATE0\rATE0\rOK\r\r>010C\r41 0C 1A F8 \r\r>010D\r41 0D 2A \r\r>"
  private static let timed = """
    # obdgate-capture 1
    # vehicle: invented   adapter: invented   recorded: 2026-02-03T07:15:00Z   provenance: composed for this test
    0.100000 > 010C\\r
    0.200000 < 41 0C 1A F8 \\r\\r>
    0.300000 > 010D\\r
    0.400000 < 41 0D 2A \\r\\r>
    1.200000 > 010C\\r
    1.300000 < 41 0C 1A FC \\r\\r>
    2.600000 > 010C\\r
    2.700000 < 41 0C 1B 00 \\r\\r>

    """

  private func replay(_ text: String, _ options: String...) throws -> [PrintedJSON] {
    let result = try obdgate(["replay"] + options + ["-"], stdin: bytes(text))
    #expect(result.status == 0)
    #expect(result.errors.isEmpty)
    return try records(result)
  }

  // MARK: Time

  @Test func a_record_stands_at_each_second_from_the_first_event() throws {
    let found = try replay(Self.timed)
    #expect(
      found.map { $0["timestamp"] } == [
        "2026-02-03T07:15:01.100Z", "2026-02-03T07:15:02.100Z", "2026-02-03T07:15:02.700Z",
      ])
    #expect(found.map { $0["timeQuality"] } == ["system", "system", "system"])
    #expect(found.map { $0["rpm"] } == [1726, 1727, 1728])
    #expect(found.map { $0["speed"] } == [42, nil, nil])
    #expect(found.allSatisfy { $0["elapsed"] == nil })
  }

  @Test func a_shorter_period_makes_more_records() throws {
    let found = try replay(Self.timed, "--every", "0.25")
    #expect(found.map { $0["rpm"] } == [1726, nil, 1727, 1728])
    #expect(
      found.map { $0["timestamp"] } == [
        "2026-02-03T07:15:00.350Z", "2026-02-03T07:15:00.600Z", "2026-02-03T07:15:01.350Z", "2026-02-03T07:15:02.700Z",
      ])
  }

  @Test func a_cycle_ends_when_a_signal_repeats() throws {
    let found = try replay(Self.timed, "--every", "cycle")
    #expect(found.map { $0["rpm"] } == [1726, 1727, 1728])
    #expect(found.map { $0["speed"] } == [42, nil, nil])
  }

  @Test func bytes_without_times_take_the_time_that_a_line_needs() throws {
    let found = try replay(Self.raw)
    #expect(found.count == 1)
    let record = try #require(found.first)
    #expect(record["timestamp"] == nil)
    #expect(record["timeQuality"] == "unset")
    // At 38400 baud with ten bits for each byte: not later than the last byte, and not earlier than the answer.
    let last = Double(Self.raw.utf8.count) * 10 / 38_400
    let elapsed = try #require(record["elapsed"]?.number)
    #expect(elapsed > last * 0.8 && elapsed <= last + 1e-6)
    let slow = try replay(Self.raw, "--baud", "300")
    let slowEnd = try #require(slow.last?["elapsed"]?.number)
    #expect(abs(slowEnd - elapsed * 128) < 0.001)
    #expect(slow.compactMap { $0["rpm"]?.number } == [1726])
    #expect(slow.compactMap { $0["speed"]?.number } == [42])
  }

  @Test func a_drive_whose_times_are_known_is_a_trip() throws {
    let trips = try records(try obdgate(["replay", capture("drive")])).of("trip")
    #expect(trips.map { $0["event"] } == ["start", "end"])
    #expect(trips[0]["tripId"] == trips[1]["tripId"])
    // The same bytes without their times, so that the durations are unknown.
    let raw = try CaptureRendering(path: capture("drive")).rawWithEcho
    let untimed = try records(try obdgate(["replay", "-"], stdin: bytes(raw)))
    #expect(untimed.count > 10)
    #expect(untimed.of("trip").isEmpty)
    #expect(untimed.of("driving").isEmpty)
  }

  @Test func a_logs_own_wall_times_date_its_records() throws {
    let log = """
      (1770102900.000000) can0 7DF#02010C0000000000
      (1770102900.250000) can0 7E8#04410C1AF8000000
      (1770102902.000000) can0 7DF#02010C0000000000
      (1770102902.250000) can0 7E8#04410C1AFC000000

      """
    let found = try replay(log)
    #expect(found.map { $0["rpm"] } == [1726, 1727])
    #expect(found.map { $0["timestamp"] } == ["2026-02-03T07:15:01.000Z", "2026-02-03T07:15:02.250Z"])
  }

  @Test func the_receivers_date_counts_from_its_first_fix_on() throws {
    var lines =
      "# obdgate-capture 1\n# provenance: composed for this test\n0.000000 > 010C\\r\n0.100000 < 41 0C 1A F8 \\r\\r>\n"
    for second in 1...3 {
      let time = "10000\(second).00"
      // In Swift, CR LF is one Character.
      for body in [
        "GPRMC,\(time),A,4807.0380,N,01131.0000,E,022.4,084.4,040526,,,A",
        "GPGGA,\(time),4807.0380,N,01131.0000,E,1,08,0.9,545.4,M,46.9,M,,",
      ] {
        lines += "\(second).500000 g " + NMEATests.sentence(body).dropLast() + "\\r\\n\n"
      }
      lines += "\(second).600000 > 010C\\r\n\(second).700000 < 41 0C 1A FC \\r\\r>\n"
    }
    let found = try replay(lines)
    #expect(found.first?["timeQuality"] == "unset")
    #expect(found.first?["elapsed"] == 1)
    #expect(found.count == 4)
    for (index, record) in found.dropFirst().enumerated() {
      #expect(record["timeQuality"] == "gps")
      #expect(record["latitude"]?.isClose(to: 48.1173) == true)
      #expect(record["timestamp"]?.text?.hasPrefix("2026-05-04T10:00:0\(index + 1)") == true, "\(record)")
    }
  }

  @Test func the_speed_of_the_replay_changes_no_byte() throws {
    let whole = try obdgate("replay", "-", text: Self.timed)
    let paced = try obdgate("replay", "--speed", "100", "-", text: Self.timed)
    #expect(paced.stdout == whole.stdout)
    #expect(paced.elapsed >= .milliseconds(26))
    #expect(try obdgate("replay", "--speed", "max", "-", text: Self.timed).stdout == whole.stdout)
    #expect(
      try obdgate("replay", "--speed", "100", "-", text: Self.raw).stdout
        == (try obdgate("replay", "-", text: Self.raw)).stdout)
  }

  // MARK: Identity

  @Test func the_same_bytes_have_the_same_ids_other_bytes_another_epoch() throws {
    let scratch = try ScratchFolder()
    let first = try records(try obdgate(["replay", scratch.write("a.txt", Self.raw)]))
    let second = try records(try obdgate(["replay", scratch.write("b.log", Self.raw)]))
    #expect(first == second)
    let other = try replay(Self.raw.replacing("1A F8", with: "1A F9"))
    #expect(other.first?["epoch"] != first.first?["epoch"])
    #expect(other.first?["id"] != first.first?["id"])
  }

  @Test func no_two_records_share_an_id() throws {
    let found = try records(try obdgate(["replay", "--every", "cycle", capture("drive")]))
    #expect(found.count > 140)
    #expect(Set(found.compactMap { $0["id"]?.text }).count == found.count)
    #expect(Set(found.compactMap { $0["epoch"]?.text }).count == 1)
    #expect(found.map { $0["seq"]?.number } == (1...found.count).map { Double($0) })
  }

  @Test func the_vehicle_is_its_vin_once_known() throws {
    let found = try records(try obdgate(["replay", capture("can11-headers")]))
    #expect(found.first?["vehicleId"] == "unknown")
    #expect(found.last?["vehicleId"] == "1G1ZB5ST6EF204417")
  }

  @Test func a_replayed_vehicle_record_has_all_known_values() throws {
    for (name, bus) in [
      ("can11-headers", "ISO 15765-4 (CAN 11"), ("can29-headers", "ISO 15765-4 (CAN 29"),
      ("drive", "ISO 15765-4 (CAN 11/500)"),
    ] {
      let vehicle = try #require(try records(try obdgate(["replay", capture(name)])).of("vehicle").first)
      #expect(vehicle["vin"]?.text?.count == 17)
      #expect(vehicle["vinValid"] == true)
      #expect(vehicle["protocol"]?.text?.hasPrefix(bus) == true)
      for ecu in vehicle["ecus"]?.elements ?? [] {
        #expect(ecu["address"] != nil)
        #expect(ecu["supportedPids"]?.elements.isEmpty == false)
        #expect(ecu["calibrations"] != nil)
      }
    }
  }

  @Test func several_captures_follow_each_other() throws {
    let names = [capture("monitors"), capture("dtc-can")]
    let together = try obdgate(["replay"] + names)
    #expect(together.status == 0)
    #expect(together.output == (try names.map { try obdgate(["replay", $0]).output }.joined()))
  }

  // MARK: Options

  @Test func vss_names_stand_in_place_of_plain_ones() throws {
    let record = try #require(try replay(Self.raw, "--names", "vss").first)
    #expect(record["vss"] == "6.0")
    #expect(record["Vehicle.Speed"] == 42)
    #expect(record["Vehicle.Powertrain.CombustionEngine.Speed"] == 1726)
    #expect(record["rpm"] == nil)
    #expect(try replay(Self.raw, "--names", "plain") == replay(Self.raw))
    #expect(try replay(Self.raw).first?["vss"] == nil)
  }

  @Test func wire_errors_are_counted_on_stderr_and_listed_on_demand() throws {
    let scratch = try ScratchFolder()
    let text = "010C\rNO DATA\r\r>010C\rNO DATA\r\r>010C\rCAN ERROR\r\r>010C\r41 0C 1A F8 \r\r>"
    let path = scratch.file("errors.jsonl")
    let result = try obdgate("replay", "--errors", path, "-", text: text)
    #expect(result.status == 0)
    #expect(try records(result).map { $0["rpm"] } == [1726])
    #expect(result.errors.contains("noData 2"))
    #expect(result.errors.contains("canError 1"))
    #expect(result.errors.split(separator: "\n").count == 1)
    let errors = try PrintedJSON.lines(try String(contentsOfFile: path, encoding: .utf8))
    #expect(errors.map { $0["kind"] } == ["noData", "noData", "canError"])
    #expect(errors.map { $0["bytes"] } == ["NO DATA", "NO DATA", "CAN ERROR"])
    #expect(errors.allSatisfy { $0["line"]?.number != nil && $0["offset"] == 0 })
    #expect(try obdgate("replay", "--errors", scratch.file("no/such"), "-", text: text).status == 74)
  }

  @Test func a_reader_that_leaves_ends_it_quietly() throws {
    let program = try Tool.obdgate
    let many = (0..<40).map { _ in "'\(capture("drive"))'" }.joined(separator: " ")
    for options in ["", "--every cycle"] {
      let result = try Tool.shell("'\(program)' replay \(options) \(many) | head -n 1")
      #expect(result.status == 0)
      #expect(result.errors.isEmpty)
      #expect(result.lines.count == 1)
    }
  }

  @Test(arguments: [
    ["replay"], ["replay", "--wrong", "-"], ["replay", "--every", "0", "-"], ["replay", "--every", "often", "-"],
    ["replay", "--speed", "0", "-"], ["replay", "--speed", "-3", "-"], ["replay", "--baud", "0", "-"],
    ["replay", "--names", "other", "-"], ["replay", "--format", "morse", "-"], ["replay", "--errors"],
  ])
  func a_wrong_option_is_wrong_usage(arguments: [String]) throws {
    let result = try obdgate(arguments)
    #expect(result.status == 64)
    #expect(result.stdout.isEmpty)
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(result.errors.hasPrefix("obdgate replay: "))
  }

  // MARK: Codes that are cleared

  @Test func a_lamp_read_before_clearing_is_not_reported_after_it() throws {
    let found = try replay(
      "ATE0\rATE0\rOK\r\r>ATSP6\rOK\r\r>ATH1\rOK\r\r>0101\r7E8 06 41 01 81 07 65 04 \r\r>03\r7E8 04 43 01 04 20 \r\r>"
        + "04\r7E8 01 44 \r\r>03\r7E8 02 43 00 \r\r>")
    let codes = found.of("dtc")
    #expect(codes.map { $0["event"] } == ["snapshot", "cleared"])
    #expect(codes.map { $0["mil"] } == [true, nil])
    #expect(codes.map { $0["dtcCodes"] } == [["P0420"], []])
  }

  // MARK: Messages

  @Test func records_carry_the_gateway_id_that_was_named() throws {
    let result = try obdgate(["replay", "--gateway-id", "van-7", "-"], stdin: bytes(Self.timed))
    let records = try PrintedJSON.lines(result.output)
    #expect(result.status == 0 && !records.isEmpty)
    #expect(records.allSatisfy { $0["gatewayId"] == "van-7" })
  }

  @Test func a_named_gateway_is_the_vehicle_until_the_vin_is_known() throws {
    let result = try obdgate(["replay", "--gateway-id", "van-7", capture("drive")])
    let vehicles = try PrintedJSON.lines(result.output).compactMap { $0["vehicleId"]?.text }
    #expect(vehicles.first == "van-7" && vehicles.last == "VF3M45GFRLS031759")
    #expect(Set(vehicles) == ["van-7", "VF3M45GFRLS031759"])
    let unnamed = try PrintedJSON.lines(try obdgate(["replay", capture("drive")]).output)
    #expect(unnamed.first?["vehicleId"] == "unknown" && unnamed.first?["gatewayId"] == "replay")
  }

  @Test func a_capture_without_readings_is_reported() throws {
    let result = try obdgate("replay", "-", text: "ATE0\rATE0\rOK\r\r>010C\rNO DATA\r\r>")
    #expect(result.status == 0 && result.output.isEmpty)
    #expect(result.errors.contains("standard input: no readings, trouble codes or fixes in it"), "\(result.errors)")
    #expect(!(try obdgate("replay", "-", text: Self.raw)).errors.contains("no readings"))
  }

  /// Thirteen rounds of a second each. Without times, the seconds are unknown, but no round is lost.
  @Test func a_bus_log_without_times_gives_a_record_for_each_round() throws {
    let log = (0..<13).map { round in
      let speed = String(16 + round, radix: 16, uppercase: true)
      return """
          can0  7DF   [8]  02 01 0D 00 00 00 00 00
          can0  7E8   [8]  03 41 0D \(speed) 00 00 00 00
          can0  7DF   [8]  02 01 0C 00 00 00 00 00
          can0  7E8   [8]  04 41 0C 1A F8 00 00 00

        """
    }.joined()
    let result = try obdgate("replay", "-", text: log)
    #expect(result.status == 0)
    let speeds = try records(result).of("telemetry").compactMap { $0["speed"]?.number }
    #expect(speeds == (0..<13).map { Double(16 + $0) })
    #expect(result.errors.contains("no times in it"), "\(result.errors)")
    let named = try obdgate("replay", "--every", "1", "-", text: log)
    #expect(try records(named).of("telemetry").count < 13)
  }
}
