import Glibc
import Telemetry

/// The open database of a spool. Only one thread may use it. ``Spool`` describes the tables.
///
/// Each change is one transaction. The object's properties change only when the commit has succeeded.
final class SpoolFile {
  let path: String
  /// The identity of the file at `path` when it was opened; `nil` if it could not be read.
  private let place: FilePlace?
  let connection: SQLiteConnection
  var statements: SpoolStatements
  var renderer = RecordRenderer()
  var reader = LineReader()
  /// Compresses lines; `nil` if libzstd is not installed. Lines are then stored uncompressed.
  let packer = LinePacker()
  var packing: PackingPlan
  /// Size of the database's pages, bytes.
  let pageSize: Int64

  /// Whether the file was closed properly after its last use, or this process has opened it before.
  let wasClean: Bool
  /// The sinks in the file that are no longer configured, each with the number of records that it had not acknowledged.
  let forgotten: [(sink: String, records: Int64)]
  /// The epoch of the file's records.
  let epoch: UUIDv7
  /// The highest sequence number that was ever committed or skipped.
  var last: UInt64
  /// The highest sequence number that is reserved for the next commit. After a power cut, numbering continues after
  /// this number.
  var reserved: UInt64
  /// Number of records in the file in each ``Lane``.
  var counts: [Int64]
  /// Row number of the current boot.
  let boot: Int64
  var clock = ClockHistory()
  /// Whether ``clock`` has entries of the current boot that are not committed yet.
  var hasNewClock = false
  /// The clock entries of the current boot that the last commit stored.
  var committedClock: [ClockHistory.Entry]
  /// The records that were found to be damaged and are not removed yet.
  var damaged: [(lane: Lane, sequence: UInt64)] = []

  /// Returns the number of bytes that the database uses, without its free pages.
  func usedBytes() throws(SQLiteError) -> Int64 {
    let pages = try statements.pages.onlyNumber()
    return try (pages - statements.freePages.onlyNumber()) * pageSize
  }

  /// Opens the file, or creates it, and marks it as in use.
  ///
  /// - Parameters:
  ///   - bootId: the kernel's boot ID (`/proc/sys/kernel/random/boot_id`). Times of different boots cannot be compared.
  ///   - sinks: the configured sinks. Their progress is read from the file. The state of all other sinks is removed
  ///     from the file.
  ///   - gatewayId: the gateway's ID; `nil` to accept records of any gateway.
  ///   - resuming: the epoch of the file that this process had open before; `nil` if it had none. If the opened file
  ///     has this epoch, its reserved numbers are not skipped.
  ///   - mark: the mark that the previous process has left in `spool.lock`; `nil` if there is none.
  /// - Throws: ``SQLiteError`` if the file cannot be used. If the kind of the error is `damaged`, the caller must
  ///   replace the file.
  init(
    path: String, bootId: String, sinks: [SinkProgress], gatewayId: String? = nil, resuming: UUIDv7?,
    mark: PendingMark? = nil, newEpoch: () -> UUIDv7
  ) throws(SQLiteError) {
    self.path = path
    Self.restrictAccess(path)
    connection = try SQLiteConnection(path: path)
    let isNew = try SpoolOpening.configure(connection)
    if isNew { try SpoolOpening.make(connection, epoch: newEpoch()) }
    pageSize = try connection.number("PRAGMA page_size", "open")
    if !isNew { try SpoolOpening.upgrade(connection) }
    let state = try SpoolOpening.state(connection)
    if !isNew { try SpoolOpening.check(connection, state) }
    counts = state.counts
    wasClean = state.isClean || state.epoch == resuming
    let skipped = wasClean ? nil : SpoolOpening.Skipped(state, mark, bootId: bootId)
    let given = skipped?.last ?? state.last
    forgotten = try SpoolOpening.lacked(byOthersThan: sinks, connection, state)
    boot = try SpoolOpening.markInUse(
      connection, state, skipped, reserved: given + SpoolFile.smallestReserve, bootId: bootId, sinks: sinks)
    let renewed = try SpoolOpening.beginEpoch(connection, to: gatewayId, counts, newEpoch: newEpoch)
    epoch = renewed ?? state.epoch
    last = renewed == nil ? given : 0
    reserved = last + SpoolFile.smallestReserve
    if renewed != nil { for sink in sinks { sink.reset() } }
    place = FilePlace(path)
    packing = PackingPlan(next: try connection.number("SELECT ifnull(max(number), 0) + 1 FROM base", "open"))
    statements = try SpoolStatements(connection)
    clock = try SpoolOpening.clock(connection)
    committedClock = clock.entries[boot] ?? []
    if isNew { DamagedFiles.synchroniseFolder(of: path) }
  }

  /// Allows only the file's owner to access it, because records contain locations. SQLite gives the same mode to the
  /// files next to it. Errors are ignored here: opening the file then fails for the same reason, and SQLite reports it.
  private static func restrictAccess(_ path: String) {
    let made = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    // Do not open the file here if it exists. Closing it would release the POSIX locks that this process has on it.
    if made >= 0 { Glibc.close(made) } else { _ = unsafe chmod(path, 0o600) }
  }

  /// Whether the file at `path` was removed or replaced by another file. Anything that is committed now would then be
  /// lost when the process ends.
  var isElsewhere: Bool {
    guard let now = FilePlace(path) else { return errno == ENOENT || errno == ENOTDIR }
    return now != place
  }

  /// Skips the sequence numbers up to `number`, because a newer copy of this file has used them.
  func skip(upTo number: UInt64) {
    last = max(last, number)
    reserved = max(reserved, last + Self.smallestReserve)
  }

  /// Minimum number of sequence numbers that a commit reserves.
  static let smallestReserve: UInt64 = 8
  /// Maximum number of sequence numbers that a commit reserves.
  static let largestReserve: UInt64 = 8_192

  /// Returns the number of sequence numbers that a commit of `count` records reserves for the next commit.
  ///
  /// This is one and a half times `count`, so that the numbers are usually sufficient for the next commit. The reserve
  /// shrinks by at most a quarter from one commit to the next. Otherwise, the small commit of a single event would make
  /// the reserve too small for the next large commit.
  func nextReserve(after count: Int) -> UInt64 {
    let records = UInt64(count)
    let previous = reserved - last
    let wanted = max(records + max(records / 2, 4), previous - previous / 4)
    return min(max(wanted, Self.smallestReserve), Self.largestReserve)
  }

  /// Calls `body` with the prepared statements for a lane.
  func with<Result>(
    _ lane: Lane, _ body: (inout LaneStatements) throws(SQLiteError) -> Result
  ) throws(SQLiteError) -> Result {
    switch lane {
    case .events: try body(&statements.events)
    case .telemetry: try body(&statements.telemetry)
    }
  }

  private var isClosed = false

  // If the file was not closed properly, there may now be another file at its path. The log there may belong to that
  // file, so it must not be deleted.
  deinit { if !isClosed { connection.preserveLog() } }

  /// Closes the file properly: marks it as closed, and lets SQLite write the log's content to the database. The file
  /// must not be used afterwards.
  func close() throws(SQLiteError) {
    try transaction { () throws(SQLiteError) in try setState(last: last, reserved: last, clean: true, counts) }
    reserved = last
    isClosed = true
  }

  /// Executes `body` in a transaction. If `body` returns, the transaction is committed; if it throws, the transaction
  /// is rolled back.
  func transaction<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
    try statements.begin.run()
    do throws(SQLiteError) {
      let result = try body()
      try statements.commit.run()
      return result
    } catch {
      // SQLite may already have rolled the transaction back. If the rollback fails here, the next BEGIN reports the
      // failure.
      if connection.isInTransaction { try? statements.rollback.run() }
      throw error
    }
  }

  /// Replaces the row of the table `state`.
  func setState(last: UInt64, reserved: UInt64, clean: Bool, _ counts: [Int64]) throws(SQLiteError) {
    statements.setState.bind(last, at: 1)
    statements.setState.bind(reserved, at: 2)
    statements.setState.bind(clean ? 1 : 0 as Int64, at: 3)
    statements.setState.bind(counts[0], at: 4)
    statements.setState.bind(counts[1], at: 5)
    try statements.setState.run()
  }

  /// Returns the CRC-32 of a record's line, sequence number, boot, time and type.
  static func sum(_ line: Span<UInt8>, sequence: UInt64, boot: Int64, time: Int64, type: UInt8) -> Int64 {
    var sum = CRC32()
    sum.update(line)
    sum.update(sequence)
    sum.update(UInt64(bitPattern: boot))
    sum.update(UInt64(bitPattern: time))
    sum.update(UInt64(type))
    return Int64(sum.value)
  }
}
