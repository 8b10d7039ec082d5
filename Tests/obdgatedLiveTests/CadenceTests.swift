import Foundation
import TestKit
import Testing

@testable import DaemonTestKit

/// The times at which telemetry records are made: `record.on`.
@Suite struct CadenceTests {
  /// Returns the content of telemetry records without their times and ids.
  private static func said(_ run: DaemonRun) throws -> [NSDictionary] {
    try run.daemon.output.map(\.text).filter { $0.contains(#""type":"telemetry""#) }.map { text in
      var object = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      for key in ["id", "seq", "timestamp", "elapsed", "timeQuality"] { object[key] = nil }
      return object as NSDictionary
    }
  }

  /// Returns the number of requests for the engine speed, alone or with others, and the number of abandoned answers. If
  /// the machine stops for seconds, ATI is sent next, and the answer before it is in no record.
  private static func polls(_ run: DaemonRun) throws -> (engineSpeed: Int, givenUp: Int) {
    let commands = try run.dialogue().split(separator: "\n").compactMap { line -> Substring? in
      let words = line.split(separator: " ")
      return words.count == 3 && words[1] == ">" ? words[2] : nil
    }
    var polls = (engineSpeed: 0, givenUp: 0)
    for (command, next) in zip(commands, commands.dropFirst() + [""]) where command.hasPrefix("01") {
      if next.hasPrefix("ATI") || command.contains("\\rATI") {
        polls.givenUp += 1
        continue
      }
      let request = Array(command.prefix { $0.isHexDigit })
      // In `010C0D1`, the last digit is the number of expected answers.
      let pids = stride(from: 2, to: request.count - 1, by: 2)
      if pids.contains(where: { request[$0] == "0" && request[$0 + 1] == "C" }) { polls.engineSpeed += 1 }
    }
    return polls
  }

  @Test func with_cycle_each_polling_cycle_is_one_record() async throws {
    try await runBlocking {
      let run = try DaemonRun(settings: #""poll": {"defaultPeriod": 0.1}, "record": {"on": "cycle"}"#)
      try run.awaitReadings(30)
      run.daemon.send(SIGTERM)
      #expect(try run.daemon.end(within: .seconds(60)) == 0)
      let records = try Self.said(run)
      let keys = ["engineLoad", "coolantTemp", "rpm", "speed", "intakeAirTemp", "throttlePosition"]
      let polls = try Self.polls(run)
      func isComplete(_ record: NSDictionary) -> Bool { keys.allSatisfy { record[$0] != nil } }
      // The first records are from the time in which the supported signals are detected.
      let turns = records.drop { !isComplete($0) }.dropLast()
      let incomplete = turns.filter { !isComplete($0) }
      #expect(turns.count >= 20 && incomplete.count <= polls.givenUp, "of \(turns.count): \(incomplete)")
      let withSpeed = records.count { $0["rpm"] != nil }
      #expect(abs(withSpeed - polls.engineSpeed) <= 3, "\(withSpeed) records of \(polls)")
      #expect(try run.sequences == Array(1...run.daemon.output.count))
    }
  }

  @Test func on_change_only_a_changed_value_makes_a_record() async throws {
    try await runBlocking {
      let car = """
        {"adapter": {"resetTime": 50, "baud": 115200},
         "cars": [{"noise": 0, "drive": {"repeat": true, "phases": [
             {"phase": "accelerate", "seconds": 5, "speed": 60}, {"phase": "cruise", "seconds": 4},
             {"phase": "brake", "seconds": 2, "speed": 0}, {"phase": "idle", "seconds": 6}]},
           "ecus": [{"address": "7E8", "pids": ["04", "05", "0C", "0D", "0F", "11"],
             "values": {"04": "66", "05": "82", "0C": "1AF8", "0F": "41", "11": "33"}}]}]}
        """
      let run = try DaemonRun(
        [car], settings: #""poll": {"defaultPeriod": 0.1}, "record": {"on": "change", "period": 0.1}"#)
      // Between two phases at constant speed there is a complete idling phase, regardless of the time of the first
      // reading.
      for speed in [60, 0, 60] { try run.daemon.line(within: .seconds(60)) { $0.contains(#""speed":\#(speed)"#) } }
      run.daemon.send(SIGTERM)
      #expect(try run.daemon.end(within: .seconds(60)) == 0)
      let records = try Self.said(run)
      for (former, next) in zip(records, records.dropFirst()) { #expect(former != next) }
      let speeds = records.compactMap { $0["speed"] as? Int }
      #expect(speeds.contains(0) && speeds.contains { $0 > 10 && $0 < 50 })
      // Six seconds of idling and some sixty polls with unchanged values.
      #expect(speeds.count { $0 == 0 } < 15, "\(speeds)")
      #expect(try run.sequences == Array(1...run.daemon.output.count))
    }
  }
}
