import Telemetry

/// Reads what can still be read of a damaged database: a page that is gone takes the ten records that were in it, not
/// the hundred thousand behind it; one on which bases begin takes what is packed against those, some hundred each.
///
/// Only records whose sum fits are given.
struct Salvage: ~Copyable {
  /// One record, as the damaged file had it.
  struct Found {
    let sequence: UInt64
    let record: PendingRecord
  }

  /// Records in each step: what is held in memory.
  static let stepSize = 2_000
  /// How often reading may fail altogether: each time costs a few pages.
  private static let mostFailures = 100_000

  private let connection: SQLiteConnection
  private let working: @Sendable () -> Void
  private var failures = 0
  private var reader = LineReader()
  /// What a row's line is packed against; version 1 of the file had no such column.
  private let base: String

  /// - Parameter working: called now and again.
  /// - Throws: where it is no database any more.
  init(path: String, working: @escaping @Sendable () -> Void = {}) throws(SQLiteError) {
    self.working = working
    let connection = try SQLiteConnection(path: path)
    try connection.execute("PRAGMA cache_size = -768; PRAGMA mmap_size = 0", "set up")
    _ = try connection.number("SELECT count(*) FROM sqlite_schema", "read the tables")
    base = try connection.number("PRAGMA user_version", "read the header") == 1 ? "NULL" : "base"
    self.connection = connection
  }

  deinit { connection.keepLog() }

  /// What is known of the file's numbers; nil: nothing.
  var state: SpoolOpening.State? { try? SpoolOpening.state(connection) }

  /// The losses that it owed a record of, as far as they can be read.
  var owed: [Loss] { (try? SpoolOpening.owed(connection)) ?? [] }

  /// What the caller kept beside the records, as far as it can be read.
  var notes: [String: [UInt8]] { (try? SpoolFile.notes(connection)) ?? [:] }

  /// How far sinks were, as far as that can be read: one that is not known to have a record gets it again.
  func progress(of names: [String]) -> [SinkProgress] {
    names.map { name in
      let sink = SinkProgress(name: name)
      do throws(SQLiteError) {
        var find = try SQLiteStatement(connection, "SELECT number FROM sink WHERE name = ?1", "read the sinks")
        find.bind(name, at: 1)
        sink.row = try find.onlyNumber()
        try SpoolOpening.restore(sink, connection)
      } catch {
        // What was read before the error holds.
        return sink
      }
      return sink
    }
  }

  /// A boot's id and what was known of its clock; where the id cannot be read, one that no kernel gives.
  func boot(_ number: Int64) -> (id: String, clock: [ClockBook.Entry]) {
    let id = try? connection.text("SELECT id FROM boot WHERE number = \(number)", "read the boots")
    let book = try? SpoolOpening.clock(connection)
    guard let id, !id.isEmpty else { return ("unknown boot \(number)", book?.entries[number] ?? []) }
    return (id, book?.entries[number] ?? [])
  }

  /// The next records of a lane, ascending, and where to go on; none at its end.
  mutating func next(_ lane: Lane, behind position: inout UInt64) -> [Found] {
    while true {
      do throws(SQLiteError) {
        return try read(lane, behind: &position)
      } catch {
        guard let readable = firstReadable(lane, behind: position) else { return [] }
        position = readable
      }
    }
  }

  /// The first number behind which something can be read again; nil: none was found.
  private mutating func firstReadable(_ lane: Lane, behind position: UInt64) -> UInt64? {
    var bad = position
    var step: UInt64 = 1
    while failures < Self.mostFailures, bad < UInt64(Int64.max) / 4 {
      failures += 1
      working()
      if isReadable(lane, behind: bad + step) { break }
      bad += step
      step *= 2
    }
    var good = bad + step
    guard isReadable(lane, behind: good) else { return nil }
    // Back to the end of what is damaged.
    while good - bad > 1 {
      let middle = bad + (good - bad) / 2
      if isReadable(lane, behind: middle) { good = middle } else { bad = middle }
    }
    return good
  }

  private func isReadable(_ lane: Lane, behind position: UInt64) -> Bool {
    do throws(SQLiteError) {
      var row = try rows(lane, behind: position)
      _ = try row.next()
      return true
    } catch {
      return false
    }
  }

  private func rows(_ lane: Lane, behind position: UInt64) throws(SQLiteError) -> SQLiteStatement {
    let table = lane == .events ? "event" : "telemetry"
    var rows = try SQLiteStatement(
      connection, "SELECT seq, boot, time, type, sum, line, \(base) FROM \(table) WHERE seq > ?1 ORDER BY seq",
      "save records")
    rows.bind(position, at: 1)
    return rows
  }

  private mutating func read(_ lane: Lane, behind position: inout UInt64) throws(SQLiteError) -> [Found] {
    var rows = try rows(lane, behind: position)
    var found: [Found] = []
    while found.count < Self.stepSize {
      do throws(SQLiteError) {
        guard try rows.next() else { break }
      } catch {
        // What was read before is good; the place that is not is met again in the next step.
        guard found.isEmpty else { return found }
        throw error
      }
      let sequence = rows.unsigned(0)
      guard sequence > position, sequence <= UInt64(Int64.max) else {
        guard found.isEmpty else { return found }
        throw SQLiteError(.damaged, "save records", "numbers out of order")
      }
      let record: PendingRecord?
      do throws(SQLiteError) { record = try self.record(rows, sequence) } catch {
        guard found.isEmpty else { return found }
        position = sequence
        throw error
      }
      position = sequence
      if let record { found.append(Found(sequence: sequence, record: record)) }
    }
    return found
  }

  private mutating func record(
    _ row: borrowing SQLiteStatement, _ sequence: UInt64
  ) throws(SQLiteError) -> PendingRecord? {
    guard let raw = UInt8(exactly: row.number(3)), let type = RecordType(rawValue: raw) else { return nil }
    let (boot, time) = (row.number(1), row.number(2))
    let line: StoredLine??
    do throws(SQLiteError) {
      line = try reader.withLine(of: row, at: 5, connection) { line -> StoredLine? in
        let sum = SpoolFile.sum(line, sequence: sequence, boot: boot, time: time, type: raw)
        return sum == row.number(4) ? StoredLine(type: type, copying: line) : nil
      }
    } catch {
      // The base's page is damaged: what was packed against it is gone, the rest is not.
      guard error.kind == .damaged else { throw error }
      return nil
    }
    guard let line = line ?? nil else { return nil }
    var record = PendingRecord(line, time: time, explains: nil)
    record.boot = boot
    return record
  }
}
