import Telemetry

/// Reads the records of a damaged database that are still readable. If a page of the database is unreadable, its
/// records (about ten) are lost, but not the records after it. If the page contains base lines, all records that are
/// compressed against these base lines are lost: up to a few hundred for each base line.
///
/// Only records with a correct checksum are returned.
struct Salvage: ~Copyable {
  /// A record as it is stored in the damaged file.
  struct Found {
    let sequence: UInt64
    let record: PendingRecord
  }

  /// Maximum number of records that one call of ``next(_:behind:)`` returns. It limits the memory that is needed.
  static let stepSize = 2_000
  /// Maximum number of failed reads. With each failed read, a few pages of the database are skipped.
  private static let mostFailures = 100_000

  private let connection: SQLiteConnection
  private let working: @Sendable () -> Void
  private var failures = 0
  private var reader = LineReader()
  /// SQL expression for the row number of the base line of a record: the name of a column, or `NULL` for a file of
  /// version 1, which has no such column.
  private let base: String

  /// Opens a damaged database for reading.
  ///
  /// - Parameter working: is called repeatedly while damaged pages are skipped, to show that the program makes
  ///   progress.
  /// - Throws: ``SQLiteError`` if the file is no longer a readable database.
  init(path: String, working: @escaping @Sendable () -> Void = {}) throws(SQLiteError) {
    self.working = working
    let connection = try SQLiteConnection(path: path)
    try connection.execute("PRAGMA cache_size = -768; PRAGMA mmap_size = 0", "configure the connection")
    _ = try connection.number("SELECT count(*) FROM sqlite_schema", "read the tables")
    base = try connection.number("PRAGMA user_version", "read the header") == 1 ? "NULL" : "base"
    self.connection = connection
  }

  deinit { connection.preserveLog() }

  /// The content of the table `state`: the file's epoch, its highest numbers and its counts; `nil` if unreadable.
  var state: SpoolOpening.State? { try? SpoolOpening.state(connection) }

  /// The losses in the file that were not reported yet, as far as they are readable.
  var unreported: [Loss] { (try? SpoolOpening.unreported(connection)) ?? [] }

  /// The notes in the file, as far as they are readable.
  var notes: [String: [UInt8]] { (try? SpoolFile.notes(connection)) ?? [:] }

  /// Reads which records each sink has acknowledged. If this is unreadable for a sink, the sink receives the records
  /// again.
  func progress(of names: [String]) -> [SinkProgress] {
    names.map { name in
      let sink = SinkProgress(name: name)
      do throws(SQLiteError) {
        var find = try SQLiteStatement(connection, "SELECT number FROM sink WHERE name = ?1", "read the sinks")
        find.bind(name, at: 1)
        sink.row = try find.onlyNumber()
        try SpoolOpening.restore(sink, connection)
      } catch {
        // Use the part that was read before the error.
        return sink
      }
      return sink
    }
  }

  /// Returns the boot ID and the clock entries of the boot with this row number. If the boot ID is unreadable, returns
  /// a text that is not the ID of any boot.
  func boot(_ number: Int64) -> (id: String, clock: [ClockHistory.Entry]) {
    let id = try? connection.text("SELECT id FROM boot WHERE number = \(number)", "read the boots")
    let book = try? SpoolOpening.clock(connection)
    guard let id, !id.isEmpty else { return ("unknown boot \(number)", book?.entries[number] ?? []) }
    return (id, book?.entries[number] ?? [])
  }

  /// Reads the next records of a lane in ascending order of their numbers.
  ///
  /// - Parameter position: sequence number after which to read. It is advanced to the last number that was read.
  /// - Returns: the records; empty at the end of the lane.
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

  /// Returns the first sequence number after which rows are readable again; `nil` if there is none.
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
    // Search backwards for the end of the damaged range.
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
      "recover records")
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
        // Return the records that were read before. The next call finds the damage again.
        guard found.isEmpty else { return found }
        throw error
      }
      let sequence = rows.unsigned(0)
      guard sequence > position, sequence <= UInt64(Int64.max) else {
        guard found.isEmpty else { return found }
        throw SQLiteError(.damaged, "recover records", "numbers out of order")
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
      // The base line is on a damaged page. Only the records that are compressed against it are lost.
      guard error.kind == .damaged else { throw error }
      return nil
    }
    guard let line = line ?? nil else { return nil }
    var record = PendingRecord(line, time: time, explains: nil)
    record.boot = boot
    return record
  }
}
