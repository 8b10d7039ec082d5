import Telemetry

/// The notes: named values that the caller stores in the same transactions as its records.
struct Notes {
  private(set) var values: [String: [UInt8]] = [:]
  /// Names of the notes whose values are not committed yet.
  private var new: Set<String> = []

  var hasNew: Bool { !new.isEmpty }

  /// Whether the current value of a note is committed.
  func isCommitted(_ name: String) -> Bool { values[name] != nil && !new.contains(name) }

  /// The notes that the next commit must store, sorted by name.
  var pending: [(name: String, value: [UInt8])] { new.sorted().map { ($0, values[$0] ?? []) } }

  /// Sets the value of a note. If the value has not changed, no commit is needed.
  mutating func set(_ value: [UInt8], as name: String) {
    guard values[name] != value else { return }
    values[name] = value
    new.insert(name)
  }

  /// Adds the notes that a file contains. The notes that are already set are newer and are kept.
  mutating func adopt(_ found: [String: [UInt8]]) {
    for (name, value) in found where values[name] == nil { values[name] = value }
  }

  /// Marks all notes as committed.
  mutating func committed() { new = [] }

  /// Marks all notes as not committed, because the file that contained them was replaced.
  mutating func forgetFile() { new = Set(values.keys) }
}

extension Spool {
  /// Sets a note: a named value that is stored next to the records. The value replaces the previous value of the same
  /// name. An empty value removes the note.
  ///
  /// The next commit makes the note durable, together with the records that were appended in the same ``group(_:)``.
  /// Therefore, records and notes do not contradict each other after a crash. For example, if a record reports the end
  /// of a trip, no note contains this trip as a trip in progress.
  public mutating func setNote(_ value: [UInt8], as name: String) { notes.set(value, as: name) }

  /// Returns the value of a note; `nil` if there is no such note or its value is empty.
  public func note(_ name: String) -> [UInt8]? { notes.values[name].flatMap { $0.isEmpty ? nil : $0 } }

  /// Whether the last value that was set for a note, which may be empty, is on the disk. If the value was previously
  /// stored in another place, delete it there only if this returns `true`.
  public func isDurable(_ name: String) -> Bool { file != nil && notes.isCommitted(name) }

  /// Counts records that were lost before they reached the spool. They get sequence numbers, and ``popLoss()`` then
  /// returns the loss.
  ///
  /// - Parameters:
  ///   - count: number of lost records.
  ///   - reason: the reason why they were lost.
  public mutating func skip(_ count: UInt64, reason: GapRecord.Reason) {
    guard count > 0 else { return }
    guard state == .durable else { return queue(memory.skip(count, reason: reason)) }
    unnumbered[reason, default: 0] += count
    markPending()
  }
}

extension SpoolFile {
  /// Stores notes in the file. An empty value deletes the note.
  func storeNotes(_ notes: [(name: String, value: [UInt8])]) throws(SQLiteError) {
    try Self.storeNotes(notes, connection)
  }

  /// Stores notes in the database of a connection. An empty value deletes the note.
  static func storeNotes(
    _ notes: [(name: String, value: [UInt8])], _ connection: borrowing SQLiteConnection
  ) throws(SQLiteError) {
    for note in notes {
      guard !note.value.isEmpty else {
        var statement = try SQLiteStatement(connection, "DELETE FROM note WHERE name = ?1", "store a note")
        statement.bind(note.name, at: 1)
        try statement.run()
        continue
      }
      var sum = CRC32()
      sum.update(note.value.span)
      var statement = try SQLiteStatement(
        connection, "INSERT OR REPLACE INTO note (name, sum, value) VALUES (?1, ?2, ?3)", "store a note")
      statement.bind(note.name, at: 1)
      statement.bind(Int64(sum.value), at: 2)
      try statement.run(note.value, at: 3)
    }
  }

  /// Reads the caller's notes. Notes with a wrong checksum are left out.
  static func notes(_ connection: borrowing SQLiteConnection) throws(SQLiteError) -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    var rows = try SQLiteStatement(
      connection, "SELECT name, sum, value FROM note WHERE name NOT GLOB '\(SpoolOpening.internalNotes)*'",
      "read the notes")
    while try rows.next() {
      let value = rows.withBytes(2) { bytes in unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) } }
      var sum = CRC32()
      sum.update(value.span)
      // If its checksum is wrong, a note is ignored.
      if Int64(sum.value) == rows.number(1) { found[rows.text(0)] = value }
    }
    return found
  }

  /// Gives the next sequence numbers to lost records that had no numbers, and stores the losses. For each reason,
  /// `losses` contains the number of lost records.
  func number(_ losses: [GapRecord.Reason: UInt64], _ draft: inout Draft) throws(SQLiteError) {
    for reason in GapRecord.Reason.allCases {
      guard let count = losses[reason] else { continue }
      let first = draft.last + 1
      draft.last += count
      try add(Loss(reason, epoch: epoch, sequences: first...draft.last, count: count), &draft)
    }
  }
}
