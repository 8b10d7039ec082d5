import Foundation
import TestKit
import Testing

@testable import FleetstoreTestKit

/// The records that `fleetstore serve` deletes after the retention time.
@Suite struct ServerRetentionTests {
  /// A record whose id and time have the same date.
  private static func record(_ number: Int, _ type: String, at date: Date) -> String {
    let milliseconds = UInt64(date.timeIntervalSince1970 * 1_000)
    let digits = String(milliseconds, radix: 16)
    let id = String(repeating: "0", count: 12 - digits.count) + digits
    let text = date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    return #"{"type":"\#(type)","id":"\#(id.prefix(8))-\#(id.suffix(4))-7000-8000-00000000000\#(number)","#
      + #""timestamp":"\#(text)","timeQuality":"gps","gatewayId":"gw-1","vehicleId":"VAN-1","#
      + #""epoch":"019df1ad-ee28-716a-aa27-aa9ecdc9b1c9","seq":\#(number)}"#
  }

  @Test func old_records_of_the_types_that_are_named_and_old_changes_go() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let database = ["--database", "sqlite:\(scratch.file("fleet.db"))"]
      let first = try ServedStore(database)
      defer { first.program.kill() }
      let token = try #require(first.token)
      let old = Date(timeIntervalSinceNow: -100 * 86_400)
      let records = [
        Self.record(1, "telemetry", at: old), Self.record(2, "telemetry", at: old), Self.record(3, "trip", at: old),
        Self.record(4, "telemetry", at: Date()),
      ]
      for record in records {
        let answer = try first.request(
          "/api/telemetry", token: token, ["-H", "Content-Type: application/jsonl", "--data-raw", record])
        #expect(answer.contains(#""stored":1"#), "\(answer)")
      }
      first.program.send(SIGTERM)
      #expect(try first.program.end(within: .seconds(60)) == 0)

      let secret = String(repeating: "metrics-", count: 5)
      try scratch.writeSecret("metrics.token", secret)
      let file = try scratch.write(
        "fleetstore.json",
        #"{"retention":{"days":{"telemetry":30},"changes":1,"startMinutes":0},"metrics":{"tokenFile":"metrics.token"}}"#
      )
      let second = try ServedStore(["--config", file] + database, isFirst: false)
      defer { second.program.kill() }
      // This line may come before or after the line that the server is ready.
      let said = "retention: 2 records of type telemetry older than 30 days removed"
      try second.program.anyErrorLine(within: .seconds(60)) { $0.contains(said) }
      let rest = try second.request("/api/vehicles/VAN-1/telemetry", token: token)
      #expect(rest.contains(#"00000000004""#) && !rest.contains(#"00000000001""#), "\(rest)")
      #expect(try second.request("/api/trips", token: token).contains(#"00000000003""#))
      let metrics = try second.request("/api/metrics", token: secret)
      #expect(metrics.contains("\nfleetstore_records_removed_total 2\n"), "\(metrics)")
      #expect(metrics.contains("\nfleetstore_changes_removed_total 3\n"), "\(metrics)")
      #expect(metrics.contains("\nfleetstore_removals_waiting 0\n"), "\(metrics)")
    }
  }

  @Test func nothing_goes_for_its_age_while_the_clock_is_far_ahead_of_the_newest_change() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let database = scratch.file("fleet.db")
      let first = try ServedStore(["--database", "sqlite:\(database)"])
      defer { first.program.kill() }
      let token = try #require(first.token)
      let record = Self.record(1, "telemetry", at: Date(timeIntervalSinceNow: -100 * 86_400))
      let type = ["-H", "Content-Type: application/jsonl", "--data-raw"]
      #expect(try first.request("/api/telemetry", token: token, type + [record]).contains(#""stored":1"#))
      first.program.send(SIGTERM)
      #expect(try first.program.end(within: .seconds(60)) == 0)
      // The times are moved back by two days, as if it were two days later.
      let told = try Tool.run("sqlite3", [database, "UPDATE feed SET at = at - 2 * 86400000"])
      try #require(told.status == 0, "\(told.errors)")
      let file = try scratch.write("fleetstore.json", #"{"retention":{"days":{"telemetry":30},"startMinutes":0}}"#)
      let second = try ServedStore(["--config", file, "--database", "sqlite:\(database)"], isFirst: false)
      defer { second.program.kill() }
      let said = "clock is more than a day ahead"
      try second.program.anyErrorLine(within: .seconds(60)) { $0.contains(said) }
      #expect(try second.request("/api/vehicles/VAN-1/telemetry", token: token).contains(#"00000000001""#))
    }
  }

  @Test(arguments: [
    (#"{"retention":{"days":{"telemtry":30}}}"#, "did you mean \"telemetry\""),
    (#"{"retention":{"days":{"trip":0}}}"#, "retention.days.trip"),
    (#"{"retention":{"changeHours":0}}"#, "retention.changeHours"),
  ])
  func an_invalid_retention_is_rejected_with_its_position(_ text: String, _ message: String) async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let file = try scratch.write("fleetstore.json", text)
      let result = try FleetstoreProgram.run(["serve", "--listen", "127.0.0.1:0", "--config", file], in: scratch.path)
      #expect(result.status == 78, "\(result.errors)")
      #expect(result.errors.contains(message), "\(result.errors)")
    }
  }
}
