import Foundation
import Glibc
import TestKit
import Testing

/// Hostile configuration files, and hostile files that a configuration names. Expected: a short line for each fault, at most
/// 32 faults, an exit code of sysexits.h, and memory in proportion to the file.
@Suite struct HostileConfigurationTests {
  /// Permitted memory of `--check` for a configuration of the maximum size, KiB. It includes the text and its parsed
  /// form.
  private static let mostKiB = 64 * 1_024

  /// Runs `--check` with the counting library, which measures the peak of memory.
  private func check(_ file: String, limit: Duration = .seconds(60)) throws -> MeasuredRun {
    let program = try Tool.obdgated
    return try MeasuredRun.of(program, ["--check", "--config", file], limit: limit)
  }

  /// Expects that a file is rejected.
  ///
  /// - Parameter faults: the number of lines, each with `word`. If there are more than 32 faults, the first 32 lines,
  ///   and a line with the number of the others.
  private func expect(
    _ file: String, _ status: Int32, _ word: String, faults: Int = 1, within most: Int = mostKiB
  ) throws {
    let run = try check(file)
    let said = run.result.errors
    #expect(run.result.status == status, "\(said)")
    var lines = said.split(separator: "\n")
    if faults > 32 { #expect(lines.popLast()?.contains("only the first 32 faults are shown") == true, "\(said)") }
    #expect(lines.count == min(faults, 32), "\(said)")
    #expect(lines.allSatisfy { $0.contains(word) && $0.utf8.count < 600 }, "\(said)")
    #expect(run.peakKiB < most, "\(run.peakKiB) KiB: \(said)")
  }

  /// Returns a text of about this number of bytes: a beginning, a repeated part, and an end.
  private func text(_ start: String, _ again: (Int) -> String, _ end: String, bytes: Int = 1_040_000) -> [UInt8] {
    var text = Array(start.utf8)
    var number = 0
    while text.count + end.utf8.count + 64 < bytes {
      if number > 0 { text.append(UInt8(ascii: ",")) }
      text += Array(again(number).utf8)
      number += 1
    }
    return text + Array(end.utf8)
  }

  @Test func a_configuration_that_is_not_a_regular_text_file_is_rejected() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      try expect(scratch.path, 66, "directory")
      let pipe = scratch.file("pipe")
      #expect(unsafe mkfifo(pipe, 0o600) == 0)
      try expect(pipe, 66, "expected a file")
      try expect("/dev/zero", 66, "expected a file")
      try FileManager.default.createSymbolicLink(atPath: scratch.file("a"), withDestinationPath: scratch.file("b"))
      try FileManager.default.createSymbolicLink(atPath: scratch.file("b"), withDestinationPath: scratch.file("a"))
      try expect(scratch.file("a"), 66, "cannot be read")
      let long = String(repeating: "x", count: 500_000)
      try expect(try scratch.write("path", #"{"geofences": "\#(long)"}"#), 78, "a path")
      try expect(try scratch.write("binary", (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 167) }), 78, "1:1")
      try expect(try scratch.write("empty", ""), 78, "empty")
      try expect(try scratch.write("nul", [UInt8](repeating: 0, count: 1_000_000)), 78, "1:1")
    }
  }

  @Test func an_oversized_configuration_file_is_not_read() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let large = scratch.file("large")
      // A hundred megabytes of white space and an object, which is valid JSON.
      #expect(FileManager.default.createFile(atPath: large, contents: nil))
      let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: large))
      for _ in 0..<100 { try handle.write(contentsOf: Data(repeating: 0x20, count: 1_000_000)) }
      try handle.write(contentsOf: Data("{}".utf8))
      try handle.close()
      try expect(large, 78, "longer than 1 MiB", within: 32 * 1_024)
      try expect(
        try scratch.write("g.json", #"{"signalSets": ["large"]}"#), 78, "longer than 4 MiB", within: 32 * 1_024)
    }
  }

  @Test func excessive_depth_and_numbers_in_a_configuration_are_rejected() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let deep = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
      try expect(try scratch.write("deep", deep), 78, "nested deeper")
      let objects = Array(String(repeating: #"{"a":"#, count: 150_000).utf8)
      try expect(try scratch.write("objects", objects), 78, "nested deeper")
      let digits = #"{"record": {"period": 1"# + String(repeating: "0", count: 900_000) + "}}"
      try expect(try scratch.write("digits", digits), 78, "record.period")
      try expect(
        try scratch.write("exponent", #"{"record": {"period": 1e999999999999999999999}}"#), 78, "record.period")
      let key = #"{""# + String(repeating: "k", count: 900_000) + #"": 1}"#
      try expect(try scratch.write("key", key), 78, "unknown key")
      let id = #"{"gatewayId": ""# + String(repeating: "\\u0041", count: 150_000) + #""}"#
      try expect(try scratch.write("id", id), 78, "gatewayId")
      try expect(try scratch.write("escapes", #"{"gatewayId": "\u001b[2J\u202e"}"#), 78, "gatewayId")
    }
  }

  @Test func excessive_counts_in_a_configuration_are_rejected() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let rows: [(String, (Int) -> String, String, String)] = [
        (#"{"adapters":["#, { #"{"tcp":"a\#($0)"}"# }, "]}", "at most 32"),
        (#"{"gps":["#, { #"{"gpsd":"a\#($0)"}"# }, "]}", "at most 32"),
        (#"{"sinks":["#, { #"{"type":"stdout","name":"a\#($0)"}"# }, "]}", "1 to 32"),
        (#"{"signalSets":["#, { #""a\#($0)""# }, "]}", "at most 64"),
        (#"{"poll":{"signals":{"#, { #""A\#($0)":1"# }, "}}}", "at most 4096"),
        (#"{"privacy":{"fences":{"#, { #""a\#($0)":"off""# }, "}}}", "at most 1024"),
        ("{", { #""a\#($0)":1"# }, "}", "unknown key"),
        (#"{"poll":"#, { _ in "0" }, "}", "expected"),
      ]
      for (start, again, end, word) in rows {
        let faults = word == "unknown key" ? 10_000 : 1
        try expect(try scratch.write("many.json", text(start, again, end)), 78, word, faults: faults)
      }
    }
  }

  @Test func fences_of_a_million_corners_use_memory_proportional_to_their_size() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let ring = Self.ring(1_000_000) { _ in 0.5 }
      let bytes = ring.utf8.count
      try scratch.write("fences.geojson", ring)
      let file = try scratch.write("gateway.json", #"{"geofences": "fences.geojson"}"#)
      let run = try check(file, limit: .seconds(300))
      #expect(run.result.status == 0, "\(run.result.errors)")
      // The memory contains the text, its parsed form and the corners. Each form exists while the next one is made from
      // it.
      #expect(run.peakKiB * 1_024 < 8 * bytes + (Self.mostKiB << 10), "\(run.peakKiB) KiB for \(bytes) bytes")
    }
  }

  @Test func a_fence_with_close_edges_is_accepted_or_rejected_by_name() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      // A star whose rays are as long as its width.
      try scratch.write("fences.geojson", Self.ring(8_000) { $0 % 2 == 0 ? 0.5 : 0.0001 })
      let file = try scratch.write("gateway.json", #"{"geofences": "fences.geojson"}"#)
      let run = try check(file, limit: .seconds(300))
      let said = run.result.errors
      #expect(run.result.status == 0 || run.result.status == 78 && said.contains("star"), "\(said)")
      #expect(said.split(separator: "\n").count <= 1 && said.utf8.count < 600, "\(said)")
      #expect(run.peakKiB < Self.mostKiB)
    }
  }

  /// Returns a fence around one place with this number of corners, which are all different.
  ///
  /// - Parameter reach: returns the distance of a corner from the place, degrees.
  private static func ring(_ count: Int, _ reach: (Int) -> Double) -> String {
    var text = #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"id":"star"},"#
    text += #""geometry":{"type":"Polygon","coordinates":[["#
    text.reserveCapacity(30 * count)
    for number in 0...count {
      let angle = Double(number % count) / Double(count) * 2 * .pi
      let (east, north) = (11 + reach(number % count) * cos(angle), 48 + reach(number % count) * sin(angle))
      text +=
        number > 0
        ? ",[\(Int(east * 1e7))e-7,\(Int(north * 1e7))e-7]" : "[\(Int(east * 1e7))e-7,\(Int(north * 1e7))e-7]"
    }
    return text + "]]}}]}"
  }
}
