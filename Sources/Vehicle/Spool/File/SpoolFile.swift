import Glibc
import Telemetry

/// The open database of a spool, used by one thread; ``Spool`` describes its tables.
///
/// Every change is one transaction. The object's properties change only after the commit succeeds.
final class SpoolFile {
  let path: String
  /// Identity of the file at `path` when it was opened.
  private let place: FilePlace?
  let connection: SQLiteConnection
  var statements: SpoolStatements
  var renderer = RecordRenderer()
  var reader = LineReader()
  /// `nil` if libzstd is not installed; lines are then stored uncompressed.
  let packer = LinePacker()
  var packing: PackingPlan
  /// Bytes.
  let pageSize: Int64

  /// Whether the previous process closed the file.
  let wasClean: Bool
  /// Numbers of records that sinks outside the current configuration had not acknowledged.
  let forgotten: [(sink: String, records: Int64)]
  /// The epoch of its records.
  let epoch: UUIDv7
  /// The highest number ever committed or skipped.
  var last: UInt64
  /// The highest reserved number; after a power cut, numbering continues after it.
  var reserved: UInt64
  /// Numbers of records, by ``Lane``.
  var counts: [Int64]
  /// The current boot's row.
  let boot: Int64
  var clock = ClockHistory()
  /// Whether ``clock`` has entries of this boot that are not committed.
  var hasNewClock = false
  /// The committed clock entries of this boot.
  var committedClock: [ClockHistory.Entry]
  /// Records that were found damaged and are not reported yet.
  var damaged: [(lane: Lane, sequence: UInt64)] = []

  /// Returns the bytes of the database's pages in use.
  func usedBytes() throws(SQLiteError) -> Int64 {
    let pages = try statements.pages.onlyNumber()
    return try (pages - statements.freePages.onlyNumber()) * pageSize
  }

  /// Opens or creates the file and marks it as not closed.
  ///
  /// - Parameters:
  ///   - bootId: the kernel's boot ID (`/proc/sys/kernel/random/boot_id`). Times of different boots cannot be compared.
  ///   - sinks: receive their state from the file; the state of other sinks is removed.
  ///   - gatewayId: the gateway of the records; `nil` accepts any.
  ///   - resuming: the epoch that this process had open before; its reserved numbers are not skipped.
  ///   - mark: the mark of the process that used the file before; `nil` if there is none.
  /// - Throws: if the file cannot be used. For the kind `damaged`, the caller has to replace the file.
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

  /// Restricts access to the owner, because records contain locations. SQLite gives the files beside it the same mode.
  /// Errors are ignored: SQLite fails for the same reason and reports it.
  private static func restrictAccess(_ path: String) {
    let made = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    // Do not open an existing file here: closing it would release this process's POSIX locks on it.
    if made >= 0 { Glibc.close(made) } else { _ = unsafe chmod(path, 0o600) }
  }

  /// Whether the file was removed or replaced. A commit into it would then be lost when the process ends.
  var isElsewhere: Bool {
    guard let now = FilePlace(path) else { return errno == ENOENT || errno == ENOTDIR }
    return now != place
  }

  /// Skips numbers up to this one, which were assigned by a previous copy of the file.
  func skip(upTo number: UInt64) {
    last = max(last, number)
    reserved = max(reserved, last + Self.smallestReserve)
  }

  /// Limits for the count of reserved numbers.
  static let smallestReserve: UInt64 = 8
  static let largestReserve: UInt64 = 8_192

  /// How many numbers a commit of `count` records reserves.
  ///
  /// Half as many again as it had, so that the next commit usually has room. A single event commits alone; therefore the
  /// reserve shrinks by at most a quarter.
  func nextReserve(after count: Int) -> UInt64 {
    let records = UInt64(count)
    let previous = reserved - last
    let wanted = max(records + max(records / 2, 4), previous - previous / 4)
    return min(max(wanted, Self.smallestReserve), Self.largestReserve)
  }

  /// Calls `body` with the prepared statements of a lane.
  func with<Result>(
    _ lane: Lane, _ body: (inout LaneStatements) throws(SQLiteError) -> Result
  ) throws(SQLiteError) -> Result {
    switch lane {
    case .events: try body(&statements.events)
    case .telemetry: try body(&statements.telemetry)
    }
  }

  private var isClosed = false

  // If the file was not closed properly, its path may belong to another file; do not delete the log there.
  deinit { if !isClosed { connection.keepLog() } }

  /// Checkpoints the log and marks the file as cleanly closed. The file must not be used afterwards.
  func close() throws(SQLiteError) {
    try transaction { () throws(SQLiteError) in try setState(last: last, reserved: last, clean: true, counts) }
    reserved = last
    isClosed = true
  }

  /// Runs `body` in a transaction: commits when it returns and rolls back if it throws.
  func transaction<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
    try statements.begin.run()
    do throws(SQLiteError) {
      let result = try body()
      try statements.commit.run()
      return result
    } catch {
      // SQLite may have rolled back already. If the rollback fails, the next BEGIN reports it.
      if connection.isInTransaction { try? statements.rollback.run() }
      throw error
    }
  }

  /// Updates the row of the table `state`.
  func setState(last: UInt64, reserved: UInt64, clean: Bool, _ counts: [Int64]) throws(SQLiteError) {
    statements.setState.bind(last, at: 1)
    statements.setState.bind(reserved, at: 2)
    statements.setState.bind(clean ? 1 : 0 as Int64, at: 3)
    statements.setState.bind(counts[0], at: 4)
    statements.setState.bind(counts[1], at: 5)
    try statements.setState.run()
  }

  /// Computes the checksum of a record.
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
