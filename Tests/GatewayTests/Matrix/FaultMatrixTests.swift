import TestKit
import Testing

/// Never stuck, never wrong: whatever goes wrong between car and gateway, the gateway comes back by itself within 5 s
/// after the fault's end plus what a start takes, no number comes out that the car did not have, an `adapter` record
/// says what happened, and nothing but settings and questions was sent.
@Suite struct FaultMatrixTests {
  @Test func the_gateway_recovers_reads_nothing_wrong_and_says_what_happened() async throws {
    var table = MatrixTable()
    try await withThrowingTaskGroup(of: MatrixTable.Entry.self) { group in
      for row in FaultRows.all { group.addTask { try Self.play(row) } }
      for try await entry in group { table.add(entry) }
    }
    table.show("in process, on a clock of its own")
    for entry in table.entries { #expect(entry.complaints == [], "\(entry.name)") }
  }

  @Test func the_daemon_does_so_on_a_real_port() async throws {
    var table = MatrixTable()
    try await withThrowingTaskGroup(of: MatrixTable.Entry?.self) { group in
      for (row, play) in FaultRow.forDaemon { group.addTask { try await Self.playDaemon(row, play) } }
      for try await entry in group { if let entry { table.add(entry) } }
    }
    table.show("the daemon, on a pty or TCP")
    for entry in table.entries { #expect(entry.complaints == [], "\(entry.name)") }
  }

  private static func play(_ row: FaultRow) throws -> MatrixTable.Entry {
    var entry = MatrixTable.Entry(row.name, limit: try row.initTime() + 5)
    for play in row.plays { entry.add(try row.run(play, limit: entry.limit), play) }
    return entry
  }

  private static func playDaemon(_ row: FaultRow, _ play: FaultRow.Play) async throws -> MatrixTable.Entry? {
    // The machine has other things to do besides: that is no fault of the daemon's.
    let limit = try row.initTime() + 7
    guard let outcome = try await aside({ try row.runDaemon(play, limit: limit) }) else { return nil }
    var entry = MatrixTable.Entry(row.name, limit: limit)
    entry.add(outcome, play)
    return entry
  }
}
