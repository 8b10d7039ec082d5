import Glibc
import Telemetry

/// The database of a spool, open; see ``Spool`` for what is in it. In one thread.
///
/// Whatever changes it is one transaction; what the object says of it changes after the commit only.
final class SpoolFile {
  let path: String
  /// What the path led to when it was opened.
  private let place: FilePlace?
  let connection: SQLiteConnection
  var statements: SpoolStatements
  var renderer = RecordRenderer()
  var reader = LineReader()
  /// Nil: there is no library; lines are kept as they are.
  let packer = LinePacker()
  var packing: PackingPlan
  let pageSize: Int64

  /// Whether whoever had it before closed it.
  let wasClean: Bool
  /// What sinks had not taken that are not among ours any more.
  let forgotten: [(sink: String, records: Int64)]
  /// In which its records are counted.
  let epoch: UUIDv7
  /// The highest number that was ever committed or given up.
  var last: UInt64
  /// Numbers up to here are set aside: after an unclean stop the next one is behind it.
  var reserved: UInt64
  /// Records, by ``Lane``.
  var counts: [Int64]
  /// The number of this boot.
  let boot: Int64
  var clock = ClockBook()
  /// The file does not know what ``clock`` knows of this boot.
  var hasNewClock = false
  /// What it knows of this boot.
  var keptClock: [ClockBook.Entry]
  /// Records that were found damaged, and are not told of yet.
  var damaged: [(lane: Lane, sequence: UInt64)] = []

  /// Bytes of the database that hold something.
  func usedBytes() throws(SQLiteError) -> Int64 {
    let pages = try statements.pages.onlyNumber()
    return try (pages - statements.freePages.onlyNumber()) * pageSize
  }

  /// Opens the file, or makes it, and takes it into use: from here on it counts as not closed.
  ///
  /// - Parameters:
  ///   - bootId: of the kernel (`/proc/sys/kernel/random/boot_id`): times of another boot are on another line.
  ///   - gatewayId: whose records it gets; nil: any.
  ///   - resuming: the epoch that this process had open before: nothing of it is given up.
  ///   - sinks: get what the file knows of them; what it knows of others is forgotten.
  /// - Throws: where it cannot be used; of the kind `damaged` where another one has to take its place.
  init(
    path: String, bootId: String, sinks: [SinkProgress], gatewayId: String? = nil, resuming: UUIDv7?,
    newEpoch: () -> UUIDv7
  ) throws(SQLiteError) {
    self.path = path
    Self.keepToOurselves(path)
    connection = try SQLiteConnection(path: path)
    let isNew = try SpoolOpening.configure(connection)
    if isNew { try SpoolOpening.make(connection, epoch: newEpoch()) }
    pageSize = try connection.number("PRAGMA page_size", "open")
    if !isNew { try SpoolOpening.upgrade(connection) }
    let state = try SpoolOpening.state(connection)
    if !isNew { try SpoolOpening.check(connection, state) }
    counts = state.counts
    wasClean = state.isClean || state.epoch == resuming
    // What was set aside and not committed is given up.
    let given = wasClean ? state.last : max(state.last, state.reserved)
    forgotten = try SpoolOpening.lacked(byOthersThan: sinks, connection, state)
    boot = try SpoolOpening.takeIntoUse(
      connection, state, last: given, reserved: given + SpoolFile.smallestReserve, bootId: bootId, sinks: sinks)
    let renewed = try SpoolOpening.handOver(connection, to: gatewayId, counts, newEpoch: newEpoch)
    epoch = renewed ?? state.epoch
    last = renewed == nil ? given : 0
    reserved = last + SpoolFile.smallestReserve
    if renewed != nil { for sink in sinks { sink.startAnew() } }
    place = FilePlace(path)
    packing = PackingPlan(next: try connection.number("SELECT ifnull(max(number), 0) + 1 FROM base", "open"))
    statements = try SpoolStatements(connection)
    clock = try SpoolOpening.clock(connection)
    keptClock = clock.entries[boot] ?? []
    if isNew { DamagedFiles.synchroniseFolder(of: path) }
  }

  /// Records tell where a vehicle was: nobody else reads the file, nor what SQLite puts beside it with the same mode. What
  /// cannot be made here SQLite cannot make either, and says so.
  private static func keepToOurselves(_ path: String) {
    let made = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    // One that is there is not opened: closing it would give up the locks that this process has on it.
    if made >= 0 { Glibc.close(made) } else { _ = unsafe chmod(path, 0o600) }
  }

  /// Whether its path leads elsewhere now: it was removed, or another has taken its place. What is committed to it then
  /// is gone with the process.
  var isElsewhere: Bool {
    guard let now = FilePlace(path) else { return errno == ENOENT || errno == ENOTDIR }
    return now != place
  }

  /// Numbers up to this one were given before it was found.
  func give(upTo number: UInt64) {
    last = max(last, number)
    reserved = max(reserved, last + Self.smallestReserve)
  }

  /// How many numbers are set aside at least, and at most.
  static let smallestReserve: UInt64 = 64
  static let largestReserve: UInt64 = 8_192

  /// Calls `body` with the statements of a lane.
  func with<Result>(
    _ lane: Lane, _ body: (inout LaneStatements) throws(SQLiteError) -> Result
  ) throws(SQLiteError) -> Result {
    switch lane {
    case .events: try body(&statements.events)
    case .telemetry: try body(&statements.telemetry)
    }
  }

  private var isClosed = false

  // What is not closed in good order may be the file of a spool that another has replaced.
  deinit { if !isClosed { connection.keepLog() } }

  /// Writes the log back and says that nothing is missing. The file is not used any more.
  func close() throws(SQLiteError) {
    try transaction { () throws(SQLiteError) in try setState(last: last, reserved: last, clean: true, counts) }
    reserved = last
    isClosed = true
  }

  /// Runs `body` as one transaction: all of it is committed when this returns, none of it where it throws.
  func transaction<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
    try statements.begin.run()
    do throws(SQLiteError) {
      let result = try body()
      try statements.commit.run()
      return result
    } catch {
      // SQLite may have rolled back already; where not even that can be done, the next begin says so.
      if connection.isInTransaction { try? statements.rollback.run() }
      throw error
    }
  }

  func setState(last: UInt64, reserved: UInt64, clean: Bool, _ counts: [Int64]) throws(SQLiteError) {
    statements.setState.bind(last, at: 1)
    statements.setState.bind(reserved, at: 2)
    statements.setState.bind(clean ? 1 : 0 as Int64, at: 3)
    statements.setState.bind(counts[0], at: 4)
    statements.setState.bind(counts[1], at: 5)
    try statements.setState.run()
  }

  /// The sum that stands beside a record.
  static func sum(_ line: Span<UInt8>, sequence: UInt64, boot: Int64, time: Int64, type: UInt8) -> Int64 {
    var sum = Checksum()
    sum.update(line)
    sum.update(sequence)
    sum.update(UInt64(bitPattern: boot))
    sum.update(UInt64(bitPattern: time))
    sum.update(UInt64(type))
    return Int64(sum.value)
  }
}
