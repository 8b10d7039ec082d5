import TestKit
import Testing

/// The numbers that `bench` counts. No test checks its speed.
@Suite struct BenchTests {
  @Test func equal_traffic_has_an_equal_checksum() throws {
    let scratch = try ScratchFolder()
    let path = try scratch.write("raw.txt", String(repeating: "010C\r41 0C 1A F8 \r\r>", count: 5_000))
    func measure(_ path: String) throws -> PrintedJSON {
      let result = try obdgate(["bench", "--iterations", "2", "--json", path])
      #expect(result.status == 0)
      #expect(result.errors.isEmpty)
      let lines = try PrintedJSON.lines(result.output)
      #expect(lines.count == 1)
      return try #require(lines.first)
    }
    let first = try #require(try measure(path)["adapter"])
    #expect(first["replies"] == 10_000)
    #expect(first["values"] == 10_000)
    #expect(first["bytes"] == 200_000)
    #expect((first["seconds"]?.number ?? 0) > 0)
    #expect(first["checksum"]?.text?.count == 16)
    #expect(try measure(path)["adapter"]?["checksum"] == first["checksum"])
    let other = try scratch.write("other.txt", String(repeating: "010C\r41 0C 1A F9 \r\r>", count: 5_000))
    #expect(try measure(other)["adapter"]?["checksum"] != first["checksum"])
  }

  @Test func captures_are_measured_both_sides_of_them() throws {
    let result = try obdgate(["bench", "--iterations", "1", "--json", capture("obd-and-gps"), capture("drive")])
    let parts = try #require(try PrintedJSON.lines(result.output).first)
    for part in ["adapter", "nmea", "records"] {
      #expect((parts[part]?["values"]?.number ?? 0) > 0)
      #expect(parts[part]?["checksum"]?.text != nil)
    }
    let table = try obdgate(["bench", "--iterations", "1", capture("drive")])
    #expect(table.status == 0)
    #expect(table.lines.count == 3)
    #expect(table.lines.allSatisfy { $0.contains("MB/s") && $0.contains("checksum") })
  }

  @Test func bad_input_has_its_exit_status() throws {
    let scratch = try ScratchFolder()
    #expect(try obdgate(["bench", scratch.path]).status == 66)
    #expect(try obdgate(["bench", scratch.file("none")]).status == 66)
    #expect(try obdgate(["bench", try scratch.write("empty", "")]).status == 65)
    #expect(try obdgate(["bench", "--iterations", "0"]).status == 64)
  }
}
