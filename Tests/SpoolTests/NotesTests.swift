import TestKit
import Testing

@testable import Spool
@testable import Telemetry

@Suite struct NotesTests: ~Copyable {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  @Test func a_note_survives_a_restart_and_an_empty_note_is_absent() throws {
    let options = SpoolOptions(scratch)
    var spool = Spool(options)
    spool.setNote(Array("under way".utf8), as: "trips")
    spool.setNote(Array("home".utf8), as: "fences")
    spool.commitAll()
    spool.setNote([], as: "fences")
    spool.close(at: spool.now)
    let again = Spool(options)
    let (trips, fences, other) = (again.note("trips"), again.note("fences"), again.note("other"))
    #expect(trips == Array("under way".utf8))
    #expect(fences == nil && other == nil)
  }

  @Test func a_note_waits_for_the_commit_of_its_time() throws {
    var spool = Spool(SpoolOptions(scratch))
    spool.setNote([1], as: "trips")
    spool.advance(to: 0)
    #expect(spool.nextDue == spool.options.commitInterval)
    spool.commitAll()
    #expect(spool.nextDue == .max)
    // A row with the same content is not written again.
    spool.setNote([1], as: "trips")
    #expect(spool.nextDue == .max)
  }

  @Test func records_and_notes_of_a_group_are_in_one_commit_however_many_they_are() throws {
    let options = SpoolOptions(scratch)
    var spool = Spool(options)
    var failures: [any Error] = []
    // More records than reserved numbers, and more bytes than one commit should have.
    spool.group { spool in
      do {
        try spool.telemetry(1...200, text: 8_000)
        try spool.event(201)
      } catch {
        failures.append(error)
      }
      let early = Self.committed(options)
      #expect(early == 0)
      spool.setNote(Array("none".utf8), as: "trips")
    }
    #expect(failures.isEmpty)
    #expect(Self.committed(options) == 201)
    // A power cut.
    spool.file = nil
    spool.lock = nil
    let again = Spool(options)
    let trips = again.note("trips")
    #expect(trips == Array("none".utf8))
  }

  /// Returns the number of records that another process would find.
  private static func committed(_ options: SpoolOptions) -> Int64? {
    guard let connection = try? SQLiteConnection(path: options.folder! + "/spool.db") else { return nil }
    defer { connection.preserveLog() }
    return try? connection.number("SELECT events + telemetry FROM state", "look")
  }

  @Test func a_damaged_note_is_ignored_and_affects_nothing_else() throws {
    let options = SpoolOptions(scratch)
    var spool = Spool(options)
    try spool.telemetry(1...2)
    spool.setNote(Array("under way".utf8), as: "trips")
    spool.close(at: spool.now)
    let connection = try SQLiteConnection(path: options.folder! + "/spool.db")
    try connection.execute("UPDATE note SET value = CAST('over' AS BLOB)", "damage")
    var again = Spool(options)
    let trips = again.note("trips")
    #expect(trips == nil)
    #expect(again.nextRecords().map(\.value) == [1, 2])
  }

  @Test func notes_outlive_a_damaged_file() throws {
    let options = SpoolOptions(scratch)
    var spool = Spool(options)
    spool.setNote(Array("under way".utf8), as: "trips")
    spool.close(at: spool.now)
    let connection = try SQLiteConnection(path: options.folder! + "/spool.db")
    try connection.execute("UPDATE state SET epoch = 'nonsense'", "damage")
    var again = Spool(options)
    let trips = again.note("trips")
    #expect(trips == Array("under way".utf8))
    again.commitAll()
    again.close(at: again.now)
    let third = Spool(options)
    let kept = third.note("trips")
    #expect(kept == Array("under way".utf8))
  }

  @Test func records_lost_before_the_spool_take_numbers_and_are_reported() throws {
    var spool = Spool(SpoolOptions(scratch))
    try spool.telemetry(1...2)
    spool.skip(5, reason: .slowDisk)
    spool.commitAll()
    let taken = spool.popLoss()
    let loss = try #require(taken)
    #expect(loss.sequences == 1...5 && loss.count == 5 && loss.reason == .slowDisk)
    #expect(spool.nextRecords().map(\.sequence) == [6, 7])
  }

  @Test func lost_records_take_numbers_without_a_file_too() throws {
    var options = SpoolOptions(scratch)
    options.folder = nil
    var spool = Spool(options)
    spool.skip(3, reason: .slowDisk)
    try spool.event(1)
    let taken = spool.popLoss()
    let loss = try #require(taken)
    #expect(loss.sequences == 1...3 && loss.count == 3)
    #expect(spool.nextRecords().map(\.sequence) == [4])
    #expect(spool.nextDue == .max)
    #expect(spool.allNews().isEmpty)
  }
}
