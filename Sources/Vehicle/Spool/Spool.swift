import Telemetry

/// A durable queue of records between the vehicle and the sinks. It survives power cuts, full disks and months without
/// a network.
///
/// ```swift
/// var options = SpoolOptions(folder: "/var/lib/obdgate", sinks: ["fleet"], newEpoch: makeEpoch)
/// options.gatewayId = "gw-17"
/// var spool = Spool(options, bootId: bootId, at: bootTime())
/// try spool.append(line.span, at: bootTime())
/// spool.advance(to: bootTime())
/// while let loss = spool.popLoss() {
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
/// - **Committed means durable.** A sink receives only committed records. A committed record is delivered to each sink
///   until the sink acknowledges it, or until a limit of size or age is reached and a `gap` record reports the loss.
///   After a crash between delivery and acknowledgement, the record is not lost, but delivered again.
/// - **A power cut** can lose the telemetry of the last ``SpoolOptions/commitInterval`` (5 s), and events that were
///   appended after the last ``advance(to:)``. Committed records survive.
/// - **Sequence numbers.** When the spool commits a record, it gives the record its `epoch` and `seq`, which replace
///   the values in the line. No number is used twice. Each commit reserves numbers for the next commit: one and a half
///   times the number of its own records, but at least 8 and at most 8,192. The number of records that wait for a
///   commit never exceeds the number of reserved numbers.
/// - **Numbers after an unclean stop.** If the boot ID has changed, the reserved numbers are skipped, and are reported
///   as a ``Loss`` with the reason `powerLoss`. If it has not changed, the process was killed: the numbers up to the
///   mark in `spool.lock` are skipped, and are reported with the reason `processKilled`. The mark includes the records
///   in memory, and one record that is on its way to the spool. During a commit, it also includes as many further
///   records as are being committed. In both cases, ``Loss/count`` is an upper bound.
/// - **Change of the gateway ID** (``SpoolOptions/gatewayId``): the new gateway counts from 1 in a new epoch. The epoch
///   changes at the first start at which no record of the old gateway is waiting. Until then, the old numbering
///   continues.
/// - **The date** of a record is added when the record is delivered, as it is known at that moment
///   (``setWallTime(_:at:)``). The record's `id` does not change. If the record is delivered again, its bytes are the
///   same, even after a crash: a date that may still be corrected is committed before the record is delivered. It is
///   discarded if the sink reports that it sent nothing.
/// - **Limits** apply to the size and age of records on the disk, and to the size of records in memory. If a limit is
///   exceeded, the oldest telemetry is dropped first, and events last. SQLite's cache takes 0.8 MB, and a commit holds
///   about 512 KiB of records.
/// - **A damaged file** is renamed to `spool.db.damaged-1` (or `-2`; at most two are kept). A new file with a new epoch
///   takes its place and receives every readable record of the old one, with the same `id` and a new number. If only
///   the checksum of a record is wrong, only that record is dropped. Lost records are reported as a ``Loss`` with the
///   reason `damagedSpool`.
/// - **A file that is removed or replaced while it is in use** is not written again: its path is checked before each
///   commit. The spool continues with the file that is now at that path, or with a new file. Records of the old file
///   that a sink had not acknowledged are reported as a ``Loss`` with the reason `damagedSpool`.
/// - **A file that cannot be used** (disk full, read-only, missing): the newest records are kept in memory with an
///   epoch of their own, and sinks receive these records. The spool tries to use the file again every few seconds. When
///   it succeeds, it commits the records that at least one sink has not acknowledged.
///
/// The file `spool.db` is a SQLite database (3.37 or later) in WAL mode with `synchronous=FULL`, pages of 1 KiB, a
/// cache of 768 KiB and no memory mapping. The write-ahead log is checkpointed at 2 MiB and truncated to at most 4 MiB.
/// The process that uses the file holds a lock on `spool.lock`. Version 1 had pages of 4 KiB, which an upgraded file
/// keeps, and did not compress lines.
///
/// | table | content of a row |
/// |---|---|
/// | `state` | single row: `epoch`; `last` number; last `reserved` number; `clean`: 1 if closed properly; row counts |
/// | `event`, `telemetry` | a record, see below |
/// | `base` | a base line, against which lines of records up to `last` are compressed; `sum`: CRC-32 of `line` |
/// | `boot` | a boot of the kernel, by its boot ID |
/// | `clock` | a date of a boot: from `since` on, time 0 is `wall` ns after 1970; `quality` is its source |
/// | `sink` | a sink, by its name |
/// | `acknowledged` | numbers that a sink has acknowledged in a lane (0 events, 1 telemetry), as a range |
/// | `stamp` | numbers that were delivered to a sink with this date and are not acknowledged |
/// | `loss` | lost records: `told` is the `seq` of the `gap` record that reports them, NULL if not yet reported |
/// | `note` | a named value of the caller or of the spool itself; `sum`: CRC-32 of `value` |
///
/// Columns of a record:
/// - `seq`
/// - `boot` and `time`: CLOCK_BOOTTIME in ns
/// - `type`: the raw value of ``Telemetry/RecordType``
/// - `line`: the record's JSON without the line feed. The byte 01 replaces the time, and the byte 02 replaces `epoch`
///   and `seq`.
/// - `sum`: the CRC-32 of that line, seq, boot, time and type (numbers as 8 bytes, little-endian)
/// - `base`: NULL, or the row of a base line. If there is a base line, `line` is a zstd frame (RFC 8878) that is
///   compressed against this base line, with the base line as its raw-content dictionary.
///
/// If zstd is not installed, lines are stored uncompressed.
///
/// A record that every sink has acknowledged is removed in the next commit. The file does not shrink, but its free
/// pages are used again.
///
/// Threads: one thread owns the spool. It appends, commits and fills batches. A sink's thread receives a batch, sends
/// it, and reports which records were acknowledged. Only ``RecordBatch`` and ``RecordBatch/Number`` are passed between
/// threads. Therefore, a sink that hangs does not delay the others, and all sinks share one connection with one cache.
/// All times are parameters, in ns of CLOCK_BOOTTIME, and must never decrease.
///
/// Call ``append(_:at:explaining:)`` for each record, then ``advance(to:)``, and ``advance(to:)`` again at ``nextDue``.
/// After each of these calls, call ``popLoss()`` and ``popEvent()`` until they return `nil`. Call ``close(at:)`` at
/// the end.
public struct Spool: ~Copyable {
  /// Where new records are stored.
  public enum State: Equatable, Sendable {
    /// New records are stored in the file.
    case durable
    /// New records are stored only in memory, because this error prevents the use of the file. After ``close(at:)``,
    /// the error is `.system` with "closed".
    case inMemory(SpoolError)
  }

  let options: SpoolOptions
  let bootId: String
  let path: String
  var lock: FolderLock?
  var file: SpoolFile?
  /// The epoch of the file that this process opened last; `nil` before the first file was opened.
  var lastEpoch: UUIDv7?
  /// Number of files that were opened or created so far. It identifies the current file in ``RecordBatch/Source``.
  var generation: UInt32 = 0
  var progress: [SinkProgress]
  var memory: MemoryQueue
  /// Losses that no `gap` record reports yet, and that ``popLoss()`` has not returned yet.
  var unreported: [Loss] = []
  /// Row numbers of losses whose `gap` records were delivered from memory. The next commit removes these rows.
  var reportedRows: [Int64] = []
  var pendingEvents: [SpoolEvent] = []
  /// Where new records are stored now.
  public internal(set) var state = State.durable
  /// The latest time that the caller has passed, ns since boot.
  var now: Int64
  /// Time since which something has been waiting for a commit, ns since boot; `nil` if nothing is waiting.
  var waitingSince: Int64?
  var retryAt: Int64 = .max
  /// The date as it is known now. It is used while no file is open.
  var wall = WallTime.unknown
  /// Number of records that were appended so far, for each lane.
  var appended = Arrived()
  var notes = Notes()
  /// Sequence numbers, in the file, of records that followers have already received from memory. In memory, these
  /// records had other numbers (those of the memory epoch).
  var shownBefore = SequenceSet()
  /// For each reason, the number of records that were lost and have no sequence numbers yet. The next commit gives them
  /// numbers.
  var unnumbered: [GapRecord.Reason: UInt64] = [:]
  private var isGrouping = false

  /// Opens the spool. This never fails: if the file cannot be used, ``popEvent()`` and ``state`` report the problem.
  ///
  /// - Parameters:
  ///   - bootId: the kernel's boot ID, `/proc/sys/kernel/random/boot_id`.
  ///   - now: the current time, ns since boot.
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

  /// Removes and returns the oldest event for the operator; `nil` if there is none.
  public mutating func popEvent() -> SpoolEvent? { pendingEvents.isEmpty ? nil : pendingEvents.removeFirst() }

  /// Removes and returns a loss that no `gap` record reports yet; `nil` if there is none.
  ///
  /// The caller makes the `gap` record and passes it to ``append(_:at:explaining:)`` together with the loss.
  public mutating func popLoss() -> Loss? { unreported.isEmpty ? nil : unreported.removeFirst() }

  /// The epoch of the records that are committed from now on; `nil` if no file is open.
  public var epoch: UUIDv7? { file?.epoch }

  /// The epoch of the records that sinks receive now.
  public var presentEpoch: UUIDv7 { state == .durable ? epoch ?? memory.epoch : memory.epoch }

  /// For each lane, the number of records that have become available to sinks since this process opened the spool.
  public struct Arrived: Equatable, Sendable {
    /// Number of events.
    public var events: UInt64 = 0
    /// Number of telemetry records.
    public var telemetry: UInt64 = 0

    /// Creates the value that counts no records.
    public init() {}
  }

  /// The number of records that were committed so far, for each lane. While the file cannot be used, it includes the
  /// records in memory. If this value changes, there are new records for sinks.
  public var arrived: Arrived {
    guard state == .durable else { return appended }
    var arrived = appended
    arrived.events &-= UInt64(memory.uncountedEvents)
    arrived.telemetry &-= UInt64(memory.uncountedRecords - memory.uncountedEvents)
    return arrived
  }

  /// Number of records that at least one sink has not acknowledged: those in the file, and those in memory.
  public var depth: (file: Int64, memory: Int) { (file?.counts.reduce(0, +) ?? 0, memory.records.count) }

  // MARK: Records

  /// Appends a record. The next commit makes it durable. Events are committed by the next ``advance(to:)``, telemetry
  /// after ``SpoolOptions/commitInterval``.
  ///
  /// - Parameters:
  ///   - line: the line of a record, with its line feed, as ``Telemetry/RecordHead`` writes it. Its time, `epoch` and
  ///     `seq` are replaced when it is delivered.
  ///   - time: time of the record, ns since boot.
  ///   - loss: if this is a `gap` record, the loss that it reports; otherwise `nil`.
  /// - Throws: ``RecordFormError`` if the line has another format.
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
      for loss in memory.enforceLimit(options.memoryBytes, sinks: options.sinks) { queue(loss) }
    }
  }

  /// Executes `body`, and commits in one transaction everything that it appends and stores. After a crash, the spool
  /// contains either all of it or nothing.
  public mutating func group(_ body: (inout Spool) -> Void) {
    isGrouping = true
    body(&self)
    isGrouping = false
    commitLarge()
  }

  /// Commits if the waiting records have at least ``largestCommit`` bytes, or if all reserved sequence numbers are
  /// needed for them.
  private mutating func commitLarge() {
    guard state == .durable else { return }
    let room = file.map { Int($0.reserved - $0.last) } ?? 0
    if memory.uncountedRecords >= room || memory.uncountedBytes >= Self.largestCommit { commit() }
  }

  /// If the waiting records have at least this many bytes, they are committed immediately.
  static let largestCommit = 512 << 10

  /// Sets the date as it is known now. If the date is more reliable than before, it also applies to earlier records of
  /// this boot that are not delivered yet.
  ///
  /// - Parameters:
  ///   - wall: the date, and how reliable it is.
  ///   - now: the current time, ns since boot.
  public mutating func setWallTime(_ wall: WallTime, at now: Int64) {
    self.now = max(self.now, now)
    self.wall = wall
    guard let file else { return }
    if file.clock.learn(wall, boot: file.boot, at: now) { file.hasNewClock = true }
  }

  // MARK: Time

  /// Time at which ``advance(to:)`` must be called next, ns since boot: `.min` means immediately, `.max` means not
  /// before the next append or acknowledgement.
  public var nextDue: Int64 {
    guard state == .durable else { return retryAt }
    guard hasWork else { return .max }
    if memory.uncountedEvents > 0 { return .min }
    return waitingSince.map { $0 &+ options.commitInterval } ?? .min
  }

  /// Commits waiting data if a commit is due. If the file could not be used, tries again after
  /// ``SpoolOptions/retryInterval``.
  ///
  /// - Parameter now: the current time, ns since boot.
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

  /// Commits all waiting data, even if a commit is not due yet.
  ///
  /// - Parameter now: the current time, ns since boot.
  public mutating func commitAll(at now: Int64) {
    self.now = max(self.now, now)
    if state == .durable, hasWork { commit() }
  }

  /// Commits all waiting data, and closes the file.
  ///
  /// If the commit fails, the records that are not committed are lost, and the next start reports an unclean stop.
  ///
  /// - Parameter now: the current time, ns since boot.
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
