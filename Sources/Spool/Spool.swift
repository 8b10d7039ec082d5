import Telemetry

/// Keeps records until every sink has them: through dead batteries, full disks and months without a network.
///
/// Constraints:
/// - **Committed means durable.** A sink is handed committed records only. A record that was committed is handed to
///   every sink until that sink acknowledges it, or a bound is reached and a `gap` record says so. A crash between the
///   two gives a resend, never a loss.
/// - **What a power cut can cost**: the telemetry of the last ``SpoolOptions/commitInterval`` (5 s), and events of the
///   moment. Nothing that was committed.
/// - **Numbers.** The spool gives `epoch` and `seq` itself, when it commits; what the line says is replaced. No number
///   is used twice: each commit sets some aside for the next (64 to 8,192, twice what it held itself), no more than
///   that wait for one, and after an unclean stop those are given up and a ``Loss`` with the reason `powerLoss` is
///   owed.
/// - **Another gateway** (``SpoolOptions/gatewayId``) counts from 1 in an epoch of its own, from the first start on at which
///   no record of the old one waits; until then the numbers go on.
/// - **Wall time** is put in when a record leaves, from what is known of the clock then (``setWallTime(_:at:)``): `id`
///   stays. A resend is byte-identical, also after a crash: a time that could still turn out to be wrong is committed
///   before the record leaves, and forgotten where a sink says that it did not.
/// - **Bounded**: bytes and age on disk, bytes in memory; 0.8 MB of SQLite's cache; a commit is at most 512 KiB. The
///   oldest telemetry goes first, events last.
/// - **A damaged file** is renamed to `spool.db.damaged-1` (or `-2`; no more are kept) and a new one begins with a new
///   epoch. It takes over what can be read of the old one, with the same `id`s and new numbers. A single record whose
///   sum does not fit is dropped alone. What is missing is a ``Loss`` with the reason `damagedSpool`.
/// - **A file that is removed or replaced while it is in use** is not written to any more: before each commit its path is
///   looked at. What stands there, or a new one, takes its place; what sinks lacked of the old one is a ``Loss`` with the
///   reason `damagedSpool`.
/// - **A file that cannot be used** (disk full, read-only, gone): new records stay in memory, the newest of them, under
///   an epoch of their own, and sinks are handed those. The file is tried again every few seconds; it then takes what
///   some sink still lacks.
///
/// The file: `spool.db`, SQLite (3.37 or later), WAL, `synchronous=FULL`, pages of 1 KiB, a cache of 768 KiB, nothing
/// mapped into memory; the log is written back at 2 MiB and is never left longer than 4. `spool.lock` is held by the
/// process that uses it. Version 1 had pages of 4 KiB, which such a file keeps, and packed nothing.
///
/// | table | a row is |
/// |---|---|
/// | `state` | the only one: `epoch`; `last` number; `reserved` up to here; `clean`: 1 once closed; counts of rows |
/// | `event`, `telemetry` | a record, see below |
/// | `base` | a line of telemetry that others are packed against, up to the record `last`; `sum` is the CRC-32 of `line` |
/// | `boot` | a boot of the kernel, by its id |
/// | `clock` | from `since` of a boot on, boot time 0 was `wall` ns after 1970; `quality`, ``Telemetry/TimeQuality`` |
/// | `sink` | a sink, by its name |
/// | `acknowledged` | numbers that a sink has in a lane (0 events, 1 telemetry); the first range ends at its cursor |
/// | `stamp` | numbers that went to a sink with this wall time, and are not acknowledged |
/// | `loss` | records that will not come: `told` is the `seq` of the `gap` record about it, absent while that is owed |
/// | `note` | what the caller keeps in step with its records, and whose they are; `sum` is the CRC-32 of `value` |
///
/// A record: `seq`; `boot` and `time`, CLOCK_BOOTTIME in ns; `type`, the number of ``Telemetry/RecordType``; `line`,
/// its JSON without a line feed, with a byte 01 in place of its time and a byte 02 in place of `epoch` and `seq`;
/// `sum`, the CRC-32 of that line, seq, boot, time and type, numbers as 8 bytes, lowest first; `base`: absent, or `line` is a
/// zstd frame (RFC 8878) of it whose dictionary is the line of that row of `base`, as raw content. Where zstd is not
/// installed, lines are kept as they are.
///
/// A record with every sink is removed in the next commit. The file does not shrink: freed pages are used again.
///
/// Threads: one thread has the spool; it appends, commits and fills batches. A sink's thread asks it for a batch,
/// sends, and tells it what was acknowledged; ``RecordBatch`` and ``RecordBatch/Number`` go between threads. So a sink
/// that hangs holds nobody up, and one connection with one cache serves all. Time is a parameter: ns of CLOCK_BOOTTIME,
/// never going back.
///
/// Call order: ``append(_:at:explaining:)`` for each record, then ``advance(to:)``; again at ``nextDue``. After each,
/// ``takeLoss()`` and ``takeNews()`` until they give nothing. ``close(at:)`` at the end.
public struct Spool: ~Copyable {
  /// Where new records are kept.
  public enum State: Equatable, Sendable {
    case durable
    case inMemory(SpoolError)
  }

  let options: SpoolOptions
  let bootId: String
  let path: String
  var lock: FolderLock?
  var file: SpoolFile?
  /// The epoch of the file that this process had open last.
  var lastEpoch: UUIDv7?
  /// How often a file was found or made: names the one that a sink speaks of.
  var generation: UInt32 = 0
  var progress: [SinkProgress]
  var memory: MemoryLane
  /// Losses of which no record tells, and that nobody has taken.
  var owed: [Loss] = []
  /// Rows of losses that records of the memory have told.
  var settled: [Int64] = []
  var news: [SpoolNews] = []
  /// Where new records are kept.
  public internal(set) var state = State.durable
  /// The latest time that was told.
  var now: Int64
  /// Since when something waits to be committed.
  var waitingSince: Int64?
  var retryAt: Int64 = .max
  /// What is known of the clock while no file is open.
  var wall = WallTime.unknown
  /// All that was taken in.
  var appended = Arrived()
  var notes = Notes()
  /// Numbers of the file that records were given which had another in memory: onlookers have seen them.
  var shownBefore = SequenceSet()
  /// Losses before there was a number, by reason: the next commit gives numbers to them.
  var unnumbered: [GapRecord.Reason: UInt64] = [:]
  private var isGrouping = false

  /// Opens the spool. It always opens: what stands in the way is said by ``takeNews()`` and ``state``.
  ///
  /// - Parameters:
  ///   - bootId: of the kernel: `/proc/sys/kernel/random/boot_id`.
  ///   - now: boot time, ns.
  public init(_ options: SpoolOptions, bootId: String, at now: Int64) {
    let sinks = options.sinks.count
    precondition(sinks <= 32 && Set(options.sinks).count == sinks, "at most 32 sinks, each with a name of its own")
    self.options = options
    self.bootId = bootId
    self.now = now
    path = options.folder.map { $0 + "/spool.db" } ?? "spool"
    progress = options.sinks.map { SinkProgress(name: $0) }
    memory = MemoryLane(epoch: options.newEpoch())
    openFile()
  }

  /// What people should know, oldest first; nil: nothing more.
  public mutating func takeNews() -> SpoolNews? { news.isEmpty ? nil : news.removeFirst() }

  /// A loss of which a record is owed: the caller makes a `gap` record and appends it as explaining it. Nil: none.
  public mutating func takeLoss() -> Loss? { owed.isEmpty ? nil : owed.removeFirst() }

  /// In which records are counted that are committed from now on; nil while there is no file.
  public var epoch: UUIDv7? { file?.epoch }

  /// In which those are counted that sinks are handed now.
  public var presentEpoch: UUIDv7 { state == .durable ? epoch ?? memory.epoch : memory.epoch }

  /// How many records sinks could be handed so far, since this process opened the spool; by lane.
  public struct Arrived: Equatable, Sendable {
    public var events: UInt64 = 0
    public var telemetry: UInt64 = 0

    public init() {}
  }

  /// Those committed, and, while the file cannot be used, those in memory: a sink that is handed what is new looks here.
  public var arrived: Arrived {
    guard state == .durable else { return appended }
    var arrived = appended
    arrived.events &-= UInt64(memory.uncountedEvents)
    arrived.telemetry &-= UInt64(memory.uncountedRecords - memory.uncountedEvents)
    return arrived
  }

  /// Records that some sink lacks: in the file, in memory.
  public var depth: (file: Int64, memory: Int) { (file?.counts.reduce(0, +) ?? 0, memory.records.count) }

  // MARK: Records

  /// Takes a record in. It is durable with the next commit: events at once, with the next ``advance(to:)``.
  ///
  /// - Parameters:
  ///   - line: a record with its line feed, as ``Telemetry/RecordHead`` begins it; its time, `epoch` and `seq` are
  ///     replaced when it leaves.
  ///   - time: of the record, boot time in ns.
  ///   - loss: of which it tells.
  public mutating func append(
    _ line: Span<UInt8>, at time: Int64, explaining loss: Loss? = nil
  ) throws(RecordFormError) {
    let record = PendingRecord(try StoredLine(parsing: line), time: time, explains: loss)
    memory.append(record)
    switch record.lane {
    case .events: appended.events += 1
    case .telemetry: appended.telemetry += 1
    }
    if !isGrouping { commitLarge() }
    if memory.bytes > options.memoryBytes {
      for loss in memory.keepWithin(options.memoryBytes, sinks: options.sinks) { owe(loss) }
    }
  }

  /// What `body` appends and keeps is in one commit: after a crash all of it is there, or none.
  public mutating func group(_ body: (inout Spool) -> Void) {
    isGrouping = true
    body(&self)
    isGrouping = false
    commitLarge()
  }

  /// Commits where more waits than one commit should hold, or than numbers are set aside for.
  private mutating func commitLarge() {
    guard state == .durable else { return }
    let room = file.map { Int($0.reserved - $0.last) } ?? 0
    if memory.uncountedRecords >= room || memory.uncountedBytes >= Self.largestCommit { commit() }
  }

  /// Bytes that wait for one commit.
  static let largestCommit = 512 << 10

  /// Says what date it is; what is known better than before holds for records that were made before, too.
  public mutating func setWallTime(_ wall: WallTime, at now: Int64) {
    self.now = max(self.now, now)
    self.wall = wall
    guard let file else { return }
    if file.clock.learn(wall, boot: file.boot, at: now) { file.hasNewClock = true }
  }

  // MARK: Time

  /// When ``advance(to:)`` has something to do; `.max`: not before something is appended or acknowledged.
  public var nextDue: Int64 {
    guard state == .durable else { return retryAt }
    guard hasWork else { return .max }
    if memory.uncountedEvents > 0 { return .min }
    return waitingSince.map { $0 &+ options.commitInterval } ?? .min
  }

  /// Commits what is due, and tries a file that could not be used again.
  public mutating func advance(to now: Int64) {
    self.now = max(self.now, now)
    guard state == .durable else {
      if self.now >= retryAt { retry() }
      return
    }
    guard hasWork else {
      waitingSince = nil
      return
    }
    let since = waitingSince ?? self.now
    waitingSince = since
    if memory.uncountedEvents > 0 || self.now &- since >= options.commitInterval { commit() }
  }

  private var hasWork: Bool {
    guard let file else { return true }
    return memory.hasMovable || file.hasNewClock || !file.damaged.isEmpty || !settled.isEmpty || notes.hasNew
      || !unnumbered.isEmpty
      || owed.contains { $0.row == 0 }
      || progress.contains { $0.hasNewAcknowledgements || $0.hasNewStamps }
  }

  /// Commits what waits, without waiting for more.
  public mutating func commitAll(at now: Int64) {
    self.now = max(self.now, now)
    if state == .durable, hasWork { commit() }
  }

  /// Commits everything and closes the file: the next start finds nothing missing.
  ///
  /// Where that cannot be, what was not committed is lost, and the next start says so.
  public mutating func close(at now: Int64) {
    self.now = max(self.now, now)
    if state != .durable { retry() }
    if state == .durable, hasWork || file?.isElsewhere == true { commit() }
    if state == .durable, let file {
      do throws(SQLiteError) {
        try file.close()
      } catch {
        news.append(.inMemory(SpoolError(error, path)))
      }
    }
    file = nil
    lock = nil
    state = .inMemory(SpoolError(.system, path, "closed"))
    retryAt = .max
  }
}
