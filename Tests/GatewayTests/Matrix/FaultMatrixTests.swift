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
    #expect(Set(DaemonPlays.all().keys).subtracting(FaultRows.all.map(\.name)) == [], "no rows are called so")
    var table = MatrixTable()
    try await withThrowingTaskGroup(of: MatrixTable.Entry?.self) { group in
      for row in FaultRows.all {
        if DaemonPlays.all()[row.name] != nil { group.addTask { try await Self.playDaemon(row) } }
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

  private static func playDaemon(_ row: FaultRow) async throws -> MatrixTable.Entry? {
    // The machine has other things to do besides: that is no fault of the daemon's.
    let limit = try row.initTime() + 7
    return try await withThrowingTaskGroup(of: (FaultRow.Play, FaultRow.Outcome?).self) { group in
      for number in DaemonPlays.all()[row.name]!.plays.indices {
        group.addTask { try await aside { try Self.playDaemon(row, number, limit: limit) } }
      }
      var entry = MatrixTable.Entry(row.name, limit: limit)
      for try await (play, outcome) in group { if let outcome { entry.add(outcome, play) } }
      return entry.plays == 0 ? nil : entry
    }
  }

  /// On a machine so busy that the gateway was not there yet when the fault began, it is played again, later.
  private static func playDaemon(
    _ row: FaultRow, _ number: Int, limit: Double
  ) throws -> (FaultRow.Play, FaultRow.Outcome?) {
    for start in [3.0, 8] {
      let plays = DaemonPlays.all(from: start)[row.name]!
      let outcome = try row.runDaemon(plays.plays[number], plays, limit: limit)
      let isLate =
        plays.needsConnection && plays.plays[number].ends >= start && (outcome?.firstValue ?? 99) > start - 0.5
      if outcome == nil || !isLate { return (plays.plays[number], outcome) }
    }
    let plays = DaemonPlays.all(from: 20)[row.name]!
    return (plays.plays[number], try row.runDaemon(plays.plays[number], plays, limit: limit))
  }
}
