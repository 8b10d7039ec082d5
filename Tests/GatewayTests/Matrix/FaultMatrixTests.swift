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
    #expect(Set(DaemonPlays.all.keys).subtracting(FaultRows.all.map(\.name)) == [], "no rows are called so")
    var table = MatrixTable()
    try await withThrowingTaskGroup(of: MatrixTable.Entry?.self) { group in
      for row in FaultRows.all {
        guard let plays = DaemonPlays.all[row.name] else { continue }
        group.addTask { try await Self.playDaemon(row, plays) }
      }
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

  private static func playDaemon(_ row: FaultRow, _ plays: DaemonPlays) async throws -> MatrixTable.Entry? {
    // The machine has other things to do besides: that is no fault of the daemon's.
    let limit = try row.initTime() + 7
    return try await withThrowingTaskGroup(of: (FaultRow.Play, FaultRow.Outcome?).self) { group in
      for play in plays.plays {
        group.addTask { (play, try await aside { try row.runDaemon(play, plays, limit: limit) }) }
      }
      var entry = MatrixTable.Entry(row.name, limit: limit)
      for try await (play, outcome) in group { if let outcome { entry.add(outcome, play) } }
      return entry.plays == 0 ? nil : entry
    }
  }
}
