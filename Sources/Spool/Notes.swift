import Telemetry

/// What the caller keeps in step with its records, by name.
struct Notes {
  private(set) var values: [String: [UInt8]] = [:]
  /// Those that no commit holds yet.
  private var new: Set<String> = []

  var hasNew: Bool { !new.isEmpty }

  /// Whether a commit holds what was kept by that name.
  func isCommitted(_ name: String) -> Bool { values[name] != nil && !new.contains(name) }

  /// Those that the next commit takes.
  var pending: [(name: String, value: [UInt8])] { new.sorted().map { ($0, values[$0] ?? []) } }

  mutating func keep(_ value: [UInt8], as name: String) {
    guard values[name] != value else { return }
    values[name] = value
    new.insert(name)
  }

  /// Those of a file; what is known since is newer.
  mutating func adopt(_ found: [String: [UInt8]]) {
    for (name, value) in found where values[name] == nil { values[name] = value }
  }

  /// A commit holds them.
  mutating func committed() { new = [] }

  /// Another file has taken the place of the one that held them.
  mutating func forgetFile() { new = Set(values.keys) }
}

extension Spool {
  /// Keeps something beside the records, in place of what was kept by that name before. It is durable with the next
  /// commit: with the records that were appended in the same ``group(_:)``, or not at all.
  ///
  /// An empty one is none. So what is told and what is remembered of it never differ: a trip that is told to have ended is no longer under way.
  public mutating func keep(_ value: [UInt8], as name: String) { notes.keep(value, as: name) }

  /// What was kept by that name; nil: nothing.
  public func note(_ name: String) -> [UInt8]? { notes.values[name].flatMap { $0.isEmpty ? nil : $0 } }

  /// Whether what was kept last by that name, an empty one too, is on the disk: where it was before, it may be removed.
  public func isDurable(_ name: String) -> Bool { file != nil && notes.isCommitted(name) }

  /// So many records were lost before they came here: they take numbers, and a record of the loss is owed.
  public mutating func skip(_ count: UInt64, reason: GapRecord.Reason) {
    guard count > 0 else { return }
    guard state == .durable else { return owe(memory.skip(count, reason: reason)) }
    unnumbered[reason, default: 0] += count
  }
}

extension SpoolFile {
  /// Writes notes down.
  func keep(_ notes: [(name: String, value: [UInt8])]) throws(SQLiteError) { try Self.keep(notes, connection) }

  static func keep(
    _ notes: [(name: String, value: [UInt8])], _ connection: borrowing SQLiteConnection
  ) throws(SQLiteError) {
    for note in notes {
      guard !note.value.isEmpty else {
        var statement = try SQLiteStatement(connection, "DELETE FROM note WHERE name = ?1", "keep a note")
        statement.bind(note.name, at: 1)
        try statement.run()
        continue
      }
      var sum = Checksum()
      sum.update(note.value.span)
      var statement = try SQLiteStatement(
        connection, "INSERT OR REPLACE INTO note (name, sum, value) VALUES (?1, ?2, ?3)", "keep a note")
      statement.bind(note.name, at: 1)
      statement.bind(Int64(sum.value), at: 2)
      try statement.run(note.value, at: 3)
    }
  }

  /// The caller's notes that can be read.
  static func notes(_ connection: borrowing SQLiteConnection) throws(SQLiteError) -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    var rows = try SQLiteStatement(
      connection, "SELECT name, sum, value FROM note WHERE name <> '\(SpoolOpening.owner)'", "read the notes")
    while try rows.next() {
      let value = rows.withBytes(2) { bytes in unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) } }
      var sum = Checksum()
      sum.update(value.span)
      // A note that is damaged says nothing.
      if Int64(sum.value) == rows.number(1) { found[rows.text(0)] = value }
    }
    return found
  }

  /// Losses that have no numbers yet are given the next ones.
  func number(_ losses: [GapRecord.Reason: UInt64], _ draft: inout Draft) throws(SQLiteError) {
    for reason in GapRecord.Reason.allCases {
      guard let count = losses[reason] else { continue }
      let first = draft.last + 1
      draft.last += count
      try add(Loss(reason, epoch: epoch, sequences: first...draft.last, count: count), &draft)
    }
  }
}
