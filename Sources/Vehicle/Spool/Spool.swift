import Telemetry

/// A durable queue of records between the vehicle and its sinks. It survives power cuts, full disks and months without
/// a network.
///
/// ```swift
/// var options = SpoolOptions(folder: "/var/lib/obdgate", sinks: ["fleet"], newEpoch: makeEpoch)
/// options.gatewayId = "gw-17"
/// var spool = Spool(options, bootId: bootId, at: bootTime())
/// try spool.append(line.span, at: bootTime())
/// spool.advance(to: bootTime())
/// while let loss = spool.takeLoss() {
///   try spool.append(gapLine(loss).span, at: bootTime(), explaining: loss)
/// }
///
/// var batch = RecordBatch()
/// spool.nextBatch(for: 0, at: bootTime(), into: &batch)
/// if send(batch.bytes) { spool.acknowledge(batch, by: 0) } else { spool.requeue(by: 0) }
/// spool.close(at: bootTime())
/// ```
///
/// Guarantees:
/// - **Committed means durable.** A sink receives committed records only. A committed record is delivered to every sink
///   until that sink acknowledges it, or until a size or age limit is reached and a `gap` record reports the loss. A
///   crash between delivery and acknowledgement causes a resend, never a loss.
/// - **Cost of a power cut**: the telemetry of the last ``SpoolOptions/commitInterval`` (5 s), and events not yet
///   passed to ``advance(to:)``. Committed records survive.
/// - **Sequence numbers.** The spool assigns `epoch` and `seq` when it commits a record and replaces the values in the
///   line. No number is used twice. Each commit reserves numbers for the next one: half as many again as it has records,
///   at least 8 and at most 8,192. At most as many records as there are reserved numbers wait for a commit.
/// - **Numbers after an unclean stop.** If the boot ID has changed, the reserved numbers are skipped and reported as a
///   ``Loss`` with the reason `powerLoss`. Otherwise the process was killed: the numbers up to the mark in `spool.lock`
///   are skipped and reported with the reason `processKilled`. The mark counts the records in memory and one that is on
///   its way into the spool; during a commit, it allows for as many new records as are committed. In both cases
///   ``Loss/count`` is an upper bound.
/// - **Change of the gateway ID** (``SpoolOptions/gatewayId``): the new gateway counts from 1 in a new epoch. The epoch
///   changes at the first start at which no record of the old gateway waits. Until then the old numbering continues.
/// - **Wall time** is added when a record is delivered, from the clock's state at that moment (``setWallTime(_:at:)``);
///   `id` does not change. A resend is byte-identical, even after a crash: a time that may still be corrected is
///   committed before the record is delivered. It is discarded if the sink reports that it sent nothing.
/// - **Bounded** bytes and age on disk, and bytes in memory. SQLite's cache takes 0.8 MB, and a commit holds at most
///   512 KiB. If a limit is exceeded, the oldest telemetry is dropped first, events last.
/// - **A damaged file** is renamed to `spool.db.damaged-1` (or `-2`; at most two are kept). A new file with a new epoch
///   takes its place and receives every readable record of the old one, with the same `id` and a new number. If only
///   the checksum of a record is wrong, only that record is dropped. Lost records are reported as a ``Loss`` with the
///   reason `damagedSpool`.
/// - **A file that is removed or replaced while it is in use** is not written again: its path is checked before each
///   commit. The spool continues with the file at that path, or with a new one. Records of the old file that sinks
///   lacked are reported as a ``Loss`` with the reason `damagedSpool`.
/// - **A file that cannot be used** (disk full, read-only, missing): the newest records are kept in memory under a
///   separate epoch, and sinks receive those. The spool retries the file every few seconds, then commits the records
///   that some sink still lacks.
///
/// The file `spool.db` is a SQLite database (3.37 or later) in WAL mode with `synchronous=FULL`, pages of 1 KiB, a
/// cache of 768 KiB and no memory mapping. The write-ahead log is checkpointed at 2 MiB and truncated to at most 4 MiB.
/// The process that uses the file holds a lock on `spool.lock`. Version 1 had pages of 4 KiB, which an upgraded file
/// keeps, and did not compress lines.
///
/// | table | content of a row |
/// |---|---|
/// | `state` | single row: `epoch`; `last` number; last `reserved` number; `clean`: 1 after a clean close; row counts |
/// | `event`, `telemetry` | a record, see below |
/// | `base` | a telemetry line, the compression dictionary of records up to `last`; `sum` is the CRC-32 of `line` |
/// | `boot` | a boot of the kernel, by its boot ID |
/// | `clock` | from `since` of a boot on, boot time 0 was `wall` ns after 1970; `quality`, ``Telemetry/TimeQuality`` |
/// | `sink` | a sink, by its name |
/// | `acknowledged` | numbers that a sink has in a lane (0 events, 1 telemetry); the first range ends at its cursor |
/// | `stamp` | numbers that were delivered to a sink with this wall time and are not acknowledged |
/// | `loss` | lost records: `told` is the `seq` of the `gap` record that reports them, NULL if not yet reported |
/// | `note` | a value of the caller, stored together with records, or the gateway or boot ID; `sum`: CRC-32 of `value` |
///
/// Columns of a record: `seq`; `boot` and `time`, CLOCK_BOOTTIME in ns; `type`, the raw value of
/// ``Telemetry/RecordType``; `line`, its JSON without the line feed, with the byte 01 in place of the time and the byte
/// 02 in place of `epoch` and `seq`; `sum`, the CRC-32 of that line, seq, boot, time and type (numbers as 8 bytes,
/// little-endian); `base`. If `base` is not NULL, `line` is a zstd frame (RFC 8878) whose raw-content dictionary is the
/// line of that row of `base`. Without zstd, lines are stored uncompressed.
///
/// A record that every sink acknowledged is removed in the next commit. The file does not shrink; free pages are
/// reused.
///
/// Threads: one thread owns the spool; it appends, commits and fills batches. A sink's thread requests a batch, sends
/// it and reports the acknowledged numbers; only ``RecordBatch`` and ``RecordBatch/Number`` cross threads. A sink that
/// hangs therefore blocks no other, and one connection with one cache serves all. Time is a parameter: ns of
/// CLOCK_BOOTTIME, which never decreases.
///
/// Call order: ``append(_:at:explaining:)`` for each record, then ``advance(to:)``; call ``advance(to:)`` again at
/// ``nextDue``. After each call, drain ``takeLoss()`` and ``takeEvent()`` until they return `nil`. Call ``close(at:)``
/// at the end.
public struct Spool: ~Copyable {
  /// Storage of new records.
  public enum State: Equatable, Sendable {
    /// In the file.
    case durable
    /// In memory only, because of this error; `.system` with "closed" after ``close(at:)``.
    case inMemory(SpoolError)
  }

  let options: SpoolOptions
  let bootId: String
  let path: String
  var lock: FolderLock?
  var file: SpoolFile?
  /// Epoch of the file that this process opened last; `nil` before the first one.
  var lastEpoch: UUIDv7?
  /// Number of files opened or created so far. It identifies a file in ``RecordBatch/Source``.
  var generation: UInt32 = 0
  var progress: [SinkProgress]
  var memory: MemoryQueue
  /// Losses that no `gap` record reports yet and that the caller has not taken.
  var unreported: [Loss] = []
  /// Rows of losses whose `gap` records were delivered from memory.
  var reportedRows: [Int64] = []
  var pendingEvents: [SpoolEvent] = []
  /// The current storage of new records.
  public internal(set) var state = State.durable
  /// The latest time passed by the caller; boot time, ns.
  var now: Int64
  /// Time since which something waits to be committed; `nil` if nothing does.
  var waitingSince: Int64?
  var retryAt: Int64 = .max
  /// The clock's state, used while no file is open.
  var wall = WallTime.unknown
  /// Number of records appended.
  var appended = Arrived()
  var notes = Notes()
  /// File numbers of records that observers have already seen under a number of the memory epoch.
  var shownBefore = SequenceSet()
  /// Losses without numbers yet, by reason; the next commit numbers them.
  var unnumbered: [GapRecord.Reason: UInt64] = [:]
  private var isGrouping = false

  /// Opens the spool. This never fails: problems are reported by ``takeEvent()`` and ``state``.
  ///
  /// - Parameters:
  ///   - bootId: the kernel's boot ID, `/proc/sys/kernel/random/boot_id`.
  ///   - now: boot time, ns.
  public init(_ options: SpoolOptions, bootId: String, at now: Int64) {
    let sinks = options.sinks.count
    precondition(sinks <= 32 && Set(options.sinks).count == sinks, "at most 32 sinks with unique names")
    self.options = options
    self.bootId = bootId
    self.now = now
    path = options.folder.map { $0 + "/spool.db" } ?? "spool"
    progress = options.sinks.map { SinkProgress(name: $0) }
    memory = MemoryQueue(epoch: options.newEpoch())
    openFile()
  }

  /// Removes and returns the oldest report for the operator; `nil` if there is none.
  public mutating func takeEvent() -> SpoolEvent? { pendingEvents.isEmpty ? nil : pendingEvents.removeFirst() }

  /// Removes and returns a loss that needs a `gap` record; `nil` if there is none.
  ///
  /// The caller creates the record and passes it to ``append(_:at:explaining:)`` together with the loss.
  public mutating func takeLoss() -> Loss? { unreported.isEmpty ? nil : unreported.removeFirst() }

  /// The epoch of records that are committed from now on; `nil` while no file is open.
  public var epoch: UUIDv7? { file?.epoch }

  /// The epoch of the records that sinks receive now.
  public var presentEpoch: UUIDv7 { state == .durable ? epoch ?? memory.epoch : memory.epoch }

  /// Numbers of records that became available to sinks since this process opened the spool, by lane.
  public struct Arrived: Equatable, Sendable {
    /// Number of events.
    public var events: UInt64 = 0
    /// Number of telemetry records.
    public var telemetry: UInt64 = 0

    /// Creates counts of zero.
    public init() {}
  }

  /// The records committed so far, and, while the file cannot be used, also those in memory. A sink that waits for new
  /// records compares this value.
  public var arrived: Arrived {
    guard state == .durable else { return appended }
    var arrived = appended
    arrived.events &-= UInt64(memory.uncountedEvents)
    arrived.telemetry &-= UInt64(memory.uncountedRecords - memory.uncountedEvents)
    return arrived
  }

  /// Numbers of records that some sink lacks: in the file, and in memory.
  public var depth: (file: Int64, memory: Int) { (file?.counts.reduce(0, +) ?? 0, memory.records.count) }

  // MARK: Records

  /// Appends a record. The next commit makes it durable; the next ``advance(to:)`` commits events immediately.
  ///
  /// - Parameters:
  ///   - line: a record with its line feed, in the form that ``Telemetry/RecordHead`` writes. Its time, `epoch` and `seq`
  ///     are replaced on delivery.
  ///   - time: time of the record; boot time, ns.
  ///   - loss: the loss that this record reports, if it is a `gap` record.
  /// - Throws: ``RecordFormError`` if the line does not have that form.
  public mutating func append(
    _ line: Span<UInt8>, at time: Int64, explaining loss: Loss? = nil
  ) throws(RecordFormError) {
    let record = PendingRecord(try StoredLine(parsing: line), time: time, explains: loss)
    markPending(more: 1)
    memory.append(record)
    switch record.lane {
    case .events: appended.events += 1
    case .telemetry: appended.telemetry += 1
    }
    if !isGrouping { commitLarge() }
    if memory.bytes > options.memoryBytes {
      for loss in memory.keepWithin(options.memoryBytes, sinks: options.sinks) { queue(loss) }
    }
  }

  /// Commits everything that `body` appends and stores as one transaction: after a crash either all of it is there, or
  /// nothing.
  public mutating func group(_ body: (inout Spool) -> Void) {
    isGrouping = true
    body(&self)
    isGrouping = false
    commitLarge()
  }

  /// Commits if the waiting records exceed ``largestCommit`` or the reserved numbers.
  private mutating func commitLarge() {
    guard state == .durable else { return }
    let room = file.map { Int($0.reserved - $0.last) } ?? 0
    if memory.uncountedRecords >= room || memory.uncountedBytes >= Self.largestCommit { commit() }
  }

  /// Limit for the bytes that wait for one commit.
  static let largestCommit = 512 << 10

  /// Sets the clock's state. A more reliable time also applies to records made before.
  ///
  /// - Parameters:
  ///   - wall: date at boot time 0 and its quality.
  ///   - now: boot time, ns.
  public mutating func setWallTime(_ wall: WallTime, at now: Int64) {
    self.now = max(self.now, now)
    self.wall = wall
    guard let file else { return }
    if file.clock.learn(wall, boot: file.boot, at: now) { file.hasNewClock = true }
  }

  // MARK: Time

  /// Boot time at which ``advance(to:)`` has work to do, ns; `.min` for immediately, `.max` if only after the next append
  /// or acknowledgement.
  public var nextDue: Int64 {
    guard state == .durable else { return retryAt }
    guard hasWork else { return .max }
    if memory.uncountedEvents > 0 { return .min }
    return waitingSince.map { $0 &+ options.commitInterval } ?? .min
  }

  /// Commits what is due. If the file could not be used, retries it after ``SpoolOptions/retryInterval``.
  ///
  /// - Parameter now: boot time, ns.
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
    return memory.hasMovable || file.hasNewClock || !file.damaged.isEmpty || !reportedRows.isEmpty || notes.hasNew
      || !unnumbered.isEmpty
      || unreported.contains { $0.row == 0 }
      || progress.contains { $0.hasNewAcknowledgements || $0.hasNewStamps }
  }

  /// Commits everything that waits, even if it is not due.
  ///
  /// - Parameter now: boot time, ns.
  public mutating func commitAll(at now: Int64) {
    self.now = max(self.now, now)
    if state == .durable, hasWork { commit() }
  }

  /// Commits everything and closes the file.
  ///
  /// If the commit fails, the uncommitted records are lost. The next start then reports an unclean stop.
  ///
  /// - Parameter now: boot time, ns.
  public mutating func close(at now: Int64) {
    self.now = max(self.now, now)
    if state != .durable { retry() }
    if state == .durable, hasWork || file?.isElsewhere == true { commit() }
    if state == .durable, let file {
      do throws(SQLiteError) {
        try file.close()
      } catch {
        pendingEvents.append(.inMemory(SpoolError(error, path)))
      }
    }
    file = nil
    lock = nil
    state = .inMemory(SpoolError(.system, path, "closed"))
    retryAt = .max
  }
}
