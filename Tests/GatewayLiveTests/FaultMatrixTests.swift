import TestKit
import Testing

/// The gateway recovers from every fault between car and gateway. This takes at most 5 s longer than a start, from the
/// end of the fault. No record has a value that the car did not have, an `adapter` record reports the fault, and only
/// settings and requests that read are sent.
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

  @Test func the_daemon_recovers_on_a_real_port() async throws {
    #expect(Set(DaemonPlays.all().keys).subtracting(FaultRows.all.map(\.name)) == [], "no rows are called so")
    let rows = FaultRows.all.filter { DaemonPlays.all()[$0.name] != nil }
    var entries: [String: MatrixTable.Entry] = [:]
    // Allow more time: the machine may be busy with other tests.
    for row in rows { entries[row.name] = MatrixTable.Entry(row.name, limit: try row.initTime() + 7) }
    let plays = rows.flatMap { row in DaemonPlays.all()[row.name]!.plays.indices.map { (row, $0) } }
    try await withThrowingTaskGroup(of: Played.self) { group in
      for (place, (row, number)) in plays.enumerated() {
        if place >= Self.daemonsAtOnce, let played = try await group.next() { played.add(to: &entries) }
        let limit = entries[row.name]!.limit
        group.addTask { try await runBlocking { try Self.playDaemon(row, number, limit: limit) } }
      }
      for try await played in group { played.add(to: &entries) }
    }
    var table = MatrixTable()
    for entry in entries.values where entry.plays > 0 { table.add(entry) }
    table.show("the daemon, on a pty or TCP")
    for entry in table.entries { #expect(entry.complaints == [], "\(entry.name)") }
  }

  /// More plays at the same time would delay each other beyond the limits. A play takes about 7 s and mostly waits, so
  /// all plays take about a minute.
  private static let daemonsAtOnce = 8

  /// The result of a play with the daemon.
  private struct Played: Sendable {
    var row: String
    var play: FaultRow.Play
    var outcome: FaultRow.Outcome

    func add(to entries: inout [String: MatrixTable.Entry]) {
      entries[row]?.add(outcome, play)
    }
  }

  private static func play(_ row: FaultRow) throws -> MatrixTable.Entry {
    var entry = MatrixTable.Entry(row.name, limit: try row.initTime() + 5)
    for play in row.plays { entry.add(try row.run(play, limit: entry.limit), play) }
    return entry
  }

  /// Repeats a play if the machine was so busy that the gateway was not connected when the fault began.
  private static func playDaemon(_ row: FaultRow, _ number: Int, limit: Double) throws -> Played {
    for start in [3.0, 8] {
      let plays = DaemonPlays.all(from: start)[row.name]!
      let outcome = try row.runDaemon(plays.plays[number], plays, limit: limit)
      let isLate =
        plays.needsConnection && plays.plays[number].ends >= start && (outcome.firstValue ?? 99) > start - 0.5
      if !isLate { return Played(row: row.name, play: plays.plays[number], outcome: outcome) }
    }
    let plays = DaemonPlays.all(from: 20)[row.name]!
    let outcome = try row.runDaemon(plays.plays[number], plays, limit: limit)
    return Played(row: row.name, play: plays.plays[number], outcome: outcome)
  }
}
