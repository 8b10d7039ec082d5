import Telemetry

/// The steps of opening a ``SpoolFile``.
///
/// These steps check the header, the tables and the row of `state`, and compare that row with the first and the last
/// sequence number in both lanes. After an unclean stop, a file of up to 16 MiB is also checked page by page
/// (`quick_check`); for a larger file, this would take seconds. Other damage is detected when records are read: SQLite
/// checks each page, and each record has a checksum.
enum SpoolOpening {
  /// The content of the table `state`, and the boot ID of the last process.
  struct State {
    var epoch: UUIDv7
    var last: UInt64
    var reserved: UInt64
    var isClean: Bool
    var counts: [Int64]
    /// The boot ID of the process that used the file last; `nil` if it is not known.
    var bootId: String?
  }

  /// The sequence numbers that are skipped after an unclean stop, because lost records may have had them.
  struct Skipped {
    var last: UInt64
    var reason: GapRecord.Reason

    /// Determines the highest number to skip, and the reason of the loss.
    ///
    /// - Parameters:
    ///   - mark: the mark that the stopped process has left in `spool.lock`; `nil` if there is none.
    ///   - bootId: the kernel's current boot ID.
    init(_ state: State, _ mark: PendingMark?, bootId: String) {
      let isSameBoot = state.bootId == bootId
      reason = isSameBoot ? .processKilled : .powerLoss
      if isSameBoot, let mark, mark.bootId == bootId, mark.epoch == state.epoch {
        last = max(state.last, mark.last)
      } else {
        last = max(state.last, state.reserved)
      }
    }
  }

  /// Maximum size of a file that is checked page by page after an unclean stop, bytes.
  private static let checkedBytes: Int64 = 16 << 20

  /// Configures a new connection to the spool's file.
  ///
  /// - Returns: whether the file is empty.
  /// - Throws: ``SQLiteError`` if the file system does not support a write-ahead log.
  static func configure(_ connection: borrowing SQLiteConnection) throws(SQLiteError) -> Bool {
    try connection.execute(SpoolSchema.settings, "set up")
    let isNew = try connection.number("SELECT count(*) FROM sqlite_schema", "read the tables") == 0
    let mode = try connection.text("PRAGMA journal_mode = WAL", "set the journal mode")
    guard mode == "wal" else {
      throw SQLiteError(.system, "set the journal mode", "the file system does not support a write-ahead log (WAL)")
    }
    return isNew
  }

  /// Creates the tables of a new file.
  static func make(_ connection: borrowing SQLiteConnection, epoch: UUIDv7) throws(SQLiteError) {
    try connection.execute(
      """
      BEGIN IMMEDIATE;
      PRAGMA application_id = \(SpoolSchema.applicationId);
      PRAGMA user_version = \(SpoolSchema.version);
      \(SpoolSchema.tables)
      INSERT INTO state VALUES (1, '\(epoch.string)', 0, 0, 1, 0, 0);
      COMMIT;
      """, "create the tables")
  }

  /// Upgrades a file of version 1 to the current version. Does nothing to any other file.
  static func upgrade(_ connection: borrowing SQLiteConnection) throws(SQLiteError) {
    guard try connection.number("PRAGMA application_id", "read the header") == SpoolSchema.applicationId,
      try connection.number("PRAGMA user_version", "read the header") == 1
    else { return }
    try connection.execute(SpoolSchema.fromVersion1, "upgrade the file")
  }

  /// Reads the table `state`.
  ///
  /// - Throws: ``SQLiteError`` of the kind `damaged` if the file is not a spool of a known version.
  static func state(_ connection: borrowing SQLiteConnection) throws(SQLiteError) -> State {
    guard try connection.number("PRAGMA application_id", "read the header") == SpoolSchema.applicationId,
      try (1...SpoolSchema.version).contains(connection.number("PRAGMA user_version", "read the header"))
    else { throw SQLiteError(.damaged, "read the header", "not a spool, or a spool of another version") }
    var row = try SQLiteStatement(
      connection, "SELECT epoch, last, reserved, clean, events, telemetry FROM state", "read the state")
    guard try row.next(), let epoch = UUIDv7(string: row.text(0)), row.number(1) >= 0, row.number(2) >= 0 else {
      throw SQLiteError(.damaged, "read the state", "the state is missing or invalid")
    }
    return State(
      epoch: epoch, last: row.unsigned(1), reserved: row.unsigned(2), isClean: row.number(3) == 1,
      counts: [row.number(4), row.number(5)], bootId: try note(boot, connection))
  }

  /// Checks the file for damage that can be found quickly.
  static func check(_ connection: borrowing SQLiteConnection, _ state: State) throws(SQLiteError) {
    for table in ["event", "telemetry"] {
      let first = try connection.number("SELECT min(seq) FROM \(table)", "check")
      let last = try connection.number("SELECT max(seq) FROM \(table)", "check")
      guard first >= 0, last <= Int64(bitPattern: state.last) else {
        throw SQLiteError(.damaged, "check", "\(table) has sequence numbers that were never assigned")
      }
    }
    guard !state.isClean else { return }
    let bytes = try connection.number("PRAGMA page_count", "check") * connection.number("PRAGMA page_size", "check")
    guard bytes <= checkedBytes else { return }
    let verdict = try connection.text("PRAGMA quick_check(1)", "check")
    guard verdict == "ok" else { throw SQLiteError(.damaged, "check", verdict) }
  }

  /// Returns the row numbers and names of the sinks in the file that are not among `sinks`.
  private static func others(
    than sinks: [SinkProgress], _ connection: borrowing SQLiteConnection
  ) throws(SQLiteError) -> [(row: Int64, name: String)] {
    var others: [(row: Int64, name: String)] = []
    var rows = try SQLiteStatement(connection, "SELECT number, name FROM sink ORDER BY number", "read the sinks")
    while try rows.next() {
      let name = rows.text(1)
      if !sinks.contains(where: { $0.name == name }) { others.append((rows.number(0), name)) }
    }
    return others
  }

  /// For each sink in the file that is not among `sinks`, counts the records that it has not acknowledged. Sinks that
  /// have acknowledged all records are left out.
  ///
  /// This takes time in proportion to the number of records in the file that such a sink has acknowledged. This number
  /// is small unless another sink has a backlog.
  static func lacked(
    byOthersThan sinks: [SinkProgress], _ connection: borrowing SQLiteConnection, _ state: State
  ) throws(SQLiteError) -> [(sink: String, records: Int64)] {
    var lacked: [(sink: String, records: Int64)] = []
    for (row, name) in try others(than: sinks, connection) {
      var count: Int64 = 0
      for lane in Lane.allCases where state.counts[lane.rawValue] > 0 {
        let table = lane == .events ? "event" : "telemetry"
        let had = try connection.number(
          """
          SELECT sum((SELECT count(*) FROM \(table) WHERE seq BETWEEN first AND acknowledged.last))
            FROM acknowledged WHERE sink = \(row) AND lane = \(lane.rawValue)
          """, "read acknowledgements")
        count += state.counts[lane.rawValue] - had
      }
      if count > 0 { lacked.append((name, count)) }
    }
    return lacked
  }

  /// Marks the file as in use, adds the current boot and the configured sinks, removes the state of other sinks, and
  /// stores skipped numbers as a loss.
  ///
  /// - Returns: the row number of the current boot.
  static func markInUse(
    _ connection: borrowing SQLiteConnection, _ state: State, _ skipped: Skipped?, reserved: UInt64, bootId: String,
    sinks: [SinkProgress]
  ) throws(SQLiteError) -> Int64 {
    let last = skipped?.last ?? state.last
    try connection.execute("BEGIN IMMEDIATE", "mark the file as in use")
    let boot = try number(connection, table: "boot", column: "id", of: bootId)
    // Remove the boots of which the file contains no records.
    try connection.execute(
      """
      DELETE FROM boot WHERE number <> \(boot)
        AND number < ifnull((SELECT boot FROM event ORDER BY seq LIMIT 1), \(boot))
        AND number < ifnull((SELECT boot FROM telemetry ORDER BY seq LIMIT 1), \(boot));
      DELETE FROM clock WHERE boot NOT IN (SELECT number FROM boot) OR since < (
        SELECT since FROM clock AS later WHERE later.boot = clock.boot
          ORDER BY since DESC LIMIT 1 OFFSET \(ClockHistory.mostEntries - 1));
      UPDATE base SET last = \(last) WHERE last IS NULL;
      """, "mark the file as in use")
    for sink in sinks { sink.row = try number(connection, table: "sink", column: "name", of: sink.name) }
    for (row, _) in try others(than: sinks, connection) {
      try connection.execute(
        """
        DELETE FROM sink WHERE number = \(row);
        DELETE FROM acknowledged WHERE sink = \(row);
        DELETE FROM stamp WHERE sink = \(row);
        """, "mark the file as in use")
    }
    for sink in sinks { try restore(sink, connection) }
    if let skipped, last > state.last {
      try connection.execute(
        """
        INSERT INTO loss (reason, epoch, first, last, count, types)
          VALUES (\(skipped.reason.rawValue), '\(state.epoch.string)', \(state.last + 1), \(last), \(last - state.last), 0)
        """, "mark the file as in use")
    }
    try SpoolFile.storeNotes([(self.boot, Array(bootId.utf8))], connection)
    try connection.execute(
      "UPDATE state SET last = \(last), reserved = \(reserved), clean = 0; COMMIT", "mark the file as in use")
    return boot
  }

  /// Returns the row number of a text in a table. If the table does not contain the text, it is inserted.
  static func number(
    _ connection: borrowing SQLiteConnection, table: String, column: String, of text: String
  ) throws(SQLiteError) -> Int64 {
    var insert = try SQLiteStatement(
      connection, "INSERT OR IGNORE INTO \(table) (\(column)) VALUES (?1)", "mark the file as in use")
    insert.bind(text, at: 1)
    try insert.run()
    var find = try SQLiteStatement(
      connection, "SELECT number FROM \(table) WHERE \(column) = ?1", "mark the file as in use")
    find.bind(text, at: 1)
    return try find.onlyNumber()
  }

  /// Reads which records a sink has acknowledged, and the dates with which records were sent to it (stamps).
  static func restore(
    _ sink: SinkProgress, _ connection: borrowing SQLiteConnection
  ) throws(SQLiteError) {
    var ranges = try SQLiteStatement(
      connection, "SELECT lane, first, last FROM acknowledged WHERE sink = ?1", "read acknowledgements")
    ranges.bind(sink.row, at: 1)
    while try ranges.next() {
      guard let lane = Lane(rawValue: Int(ranges.number(0))), ranges.unsigned(1) <= ranges.unsigned(2) else {
        throw SQLiteError(.damaged, "read acknowledgements", "invalid range")
      }
      sink.lanes[lane.rawValue].skip(ranges.unsigned(1)...ranges.unsigned(2))
    }
    var stamps = try SQLiteStatement(
      connection, "SELECT first, last, quality, wall FROM stamp WHERE sink = ?1", "read stamps")
    stamps.bind(sink.row, at: 1)
    while try stamps.next() {
      guard stamps.unsigned(0) <= stamps.unsigned(1), let wall = WallTime(stamps, at: 2) else {
        throw SQLiteError(.damaged, "read stamps", "invalid stamp")
      }
      sink.restoreStamp(stamps.unsigned(0)...stamps.unsigned(1), wall)
    }
  }

  /// Reads the clock entries of all boots.
  static func clock(_ connection: borrowing SQLiteConnection) throws(SQLiteError) -> ClockHistory {
    var book = ClockHistory()
    var rows = try SQLiteStatement(
      connection, "SELECT boot, since, quality, wall FROM clock ORDER BY boot, since", "read the clocks")
    while try rows.next() {
      guard let wall = WallTime(rows, at: 2) else {
        throw SQLiteError(.damaged, "read the clocks", "invalid time")
      }
      book.restore(ClockHistory.Entry(since: rows.number(1), wall: wall), boot: rows.number(0))
    }
    return book
  }

  /// Reads the losses that no record reports yet.
  static func unreported(_ connection: borrowing SQLiteConnection) throws(SQLiteError) -> [Loss] {
    try losses(connection, where: "told IS NULL")
  }

  /// Reads the losses for which an SQL condition is true.
  static func losses(
    _ connection: borrowing SQLiteConnection, where condition: String
  ) throws(SQLiteError) -> [Loss] {
    var losses: [Loss] = []
    var rows = try SQLiteStatement(
      connection, "SELECT number, reason, epoch, first, last, count, types, sink FROM loss WHERE \(condition)",
      "read losses")
    while try rows.next() {
      guard let reason = GapRecord.Reason(rawValue: UInt8(truncatingIfNeeded: rows.number(1))) else {
        throw SQLiteError(.damaged, "read losses", "invalid reason")
      }
      let isKnown = !rows.isNull(3) && rows.unsigned(3) <= rows.unsigned(4)
      var loss = Loss(
        reason, epoch: UUIDv7(string: rows.text(2)), sequences: isKnown ? rows.unsigned(3)...rows.unsigned(4) : nil,
        count: rows.isNull(5) ? nil : rows.unsigned(5))
      loss.types = RecordType.allCases.filter { rows.unsigned(6) >> UInt64($0.rawValue) & 1 == 1 }
      loss.sink = rows.isNull(7) ? nil : rows.text(7)
      loss.row = rows.number(0)
      losses.append(loss)
    }
    return losses
  }
}

extension WallTime {
  /// Reads a date from two neighbouring columns of a row, first the quality, then the offset; `nil` if the quality is
  /// invalid.
  init?(_ row: borrowing SQLiteStatement, at column: Int32) {
    guard let quality = TimeQuality(rawValue: UInt8(truncatingIfNeeded: row.number(column))) else { return nil }
    self.init(offset: row.number(column + 1), quality: quality)
  }
}

extension UUIDv7 {
  /// The UUID as text.
  var string: String {
    let text = text
    var string = ""
    for index in 0..<36 { string.append(Character(Unicode.Scalar(text[index]))) }
    return string
  }

  /// Parses a UUID; `nil` if the text is not a UUID of version 7.
  init?(string: String) {
    self.init(string.utf8.span)
  }
}
