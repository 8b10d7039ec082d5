import Foundation
import TestKit
import Testing

@testable import DaemonTestKit

/// Files of fences that the daemon reads while it runs.
@Suite struct DaemonFencesTests {
  /// Returns a square with this number of holes in each row and column.
  private static func sieve(_ count: Int) -> String {
    func square(_ west: Double, _ south: Double, _ side: Double) -> String {
      let corners = [(0.0, 0.0), (1, 0), (1, 1), (0, 1), (0, 0)].map {
        "[\(west + $0.0 * side),\(south + $0.1 * side)]"
      }
      return "[" + corners.joined(separator: ",") + "]"
    }
    var rings = [square(0, 0, 10)]
    let pitch = 10 / Double(count)
    for row in 0..<count {
      for column in 0..<count {
        rings.append(square((Double(column) + 0.25) * pitch, (Double(row) + 0.25) * pitch, pitch / 2))
      }
    }
    let coordinates = rings.joined(separator: ",")
    return """
      {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"id":"sieve"},
       "geometry":{"type":"Polygon","coordinates":[\(coordinates)]}}]}
      """
  }

  @Test func a_fence_with_thousands_of_holes_is_taken_while_records_go_on() async throws {
    try await runBlocking {
      let run = try DaemonRun()
      let scratch = try ScratchFolder()
      try run.awaitReadings(2)
      let file = try scratch.write("sieve.geojson", Self.sieve(60))
      try run.reload(settings: DaemonRun.quick + #", "geofences": "\#(file)""#)
      try run.awaitReadings(5)
      try run.daemon.errorLine(within: .seconds(60)) { $0.hasPrefix("obdgated: SIGHUP:") && $0.hasSuffix("read") }
      try run.awaitReadings(5)
      #expect(try run.sequences == Array(1...run.daemon.output.count))
      run.daemon.send(SIGTERM)
      #expect(try run.daemon.end(within: .seconds(60)) == 0)
    }
  }
}
