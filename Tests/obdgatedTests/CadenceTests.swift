import Foundation
import TestKit
import Testing

/// When telemetry records are made: `record.on`.
@Suite struct CadenceTests {
  /// What a telemetry record says beside when it was made and which it is.
  private static func said(_ run: DaemonRun) throws -> [NSDictionary] {
    try run.daemon.output.map(\.text).filter { $0.contains(#""type":"telemetry""#) }.map { text in
      var object = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      for key in ["id", "seq", "timestamp", "elapsed", "timeQuality"] { object[key] = nil }
      return object as NSDictionary
    }
  }

  /// How often the vehicle was asked for its engine speed, alone or with others.
  private static func polls(_ run: DaemonRun) throws -> Int {
    try run.dialogue().split(separator: "\n").count { line in
      let words = line.split(separator: " ")
      guard words.count == 3, words[1] == ">", words[2].hasPrefix("01") else { return false }
      let request = Array(words[2].prefix { $0.isHexDigit })
      // `010C0D1`: the last digit is how many answers are awaited.
      return stride(from: 2, to: request.count - 1, by: 2).contains { request[$0] == "0" && request[$0 + 1] == "C" }
    }
  }

  @Test func on_cycle_each_turn_of_the_poll_is_one_record() async throws {
    try await aside {
      let run = try DaemonRun(settings: #""poll": {"defaultPeriod": 0.1}, "record": {"on": "cycle"}"#)
      try run.awaitReadings(30)
      run.daemon.send(SIGTERM)
      #expect(try run.daemon.end(within: .seconds(20)) == 0)
      let records = try Self.said(run)
      let keys = ["engineLoad", "coolantTemp", "rpm", "speed", "intakeAirTemp", "throttlePosition"]
      // The first ones are of the time in which it is found out what there is to poll.
      for record in records.dropFirst(4).dropLast() {
        for key in keys where record[key] == nil { Issue.record("no \(key) in \(record)") }
      }
      let withSpeed = records.count { $0["rpm"] != nil }
      #expect(abs(withSpeed - (try Self.polls(run))) <= 3, "\(withSpeed) records")
      #expect(try run.sequences == Array(1...run.daemon.output.count))
    }
  }

  @Test func on_change_only_what_differs_from_the_record_before_is_one() async throws {
    try await aside {
      let car = """
        {"adapter": {"resetTime": 50, "baud": 115200},
         "cars": [{"noise": 0, "drive": {"repeat": false, "phases": [{"phase": "idle", "seconds": 6},
             {"phase": "accelerate", "seconds": 5, "speed": 60}, {"phase": "cruise", "seconds": 600}]},
           "ecus": [{"address": "7E8", "pids": ["04", "05", "0C", "0D", "0F", "11"],
             "values": {"04": "66", "05": "82", "0C": "1AF8", "0F": "41", "11": "33"}}]}]}
        """
      let run = try DaemonRun(
        [car], settings: #""poll": {"defaultPeriod": 0.1}, "record": {"on": "change", "period": 0.1}"#)
      try run.daemon.line(within: .seconds(60)) { $0.contains(#""speed":60"#) }
      run.daemon.send(SIGTERM)
      #expect(try run.daemon.end(within: .seconds(20)) == 0)
      let records = try Self.said(run)
      for (former, next) in zip(records, records.dropFirst()) { #expect(former != next) }
      let speeds = records.compactMap { $0["speed"] as? Int }
      #expect(speeds.contains(0) && speeds.contains { $0 > 10 && $0 < 50 })
      // Six seconds of idling and more than a hundred polls say nothing new.
      #expect(speeds.count { $0 == 0 } < 15, "\(speeds)")
      #expect(try run.sequences == Array(1...run.daemon.output.count))
    }
  }
}
