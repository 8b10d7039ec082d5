import Failures
import GatewayOutput
import GatewayStatus
import Glibc
import Ports
import Sinks
import Spool
import Synchronization
import Telemetry

/// The spool's thread. It takes records from a queue, commits them to the spool, and exchanges batches with the sinks.
///
/// A sink that hangs does not delay the other sinks. A disk that hangs does not delay polling or the making of records.
package final class Forwarding: @unchecked Sendable {
  /// The IDs that `gap` records contain.
  package struct Origin: Sendable {
    package var gatewayId: String
    /// The configured ID of the vehicle; `nil` to use the gateway's ID instead.
    package var vehicleId: String?
    package var idSeed: UInt64

    /// Creates a value; the parameters are the properties of the same names.
    package init(gatewayId: String, vehicleId: String? = nil, idSeed: UInt64) {
      self.gatewayId = gatewayId
      self.vehicleId = vehicleId
      self.idSeed = idSeed
    }
  }

  /// Time for which sinks may continue to deliver records when the daemon ends, ns.
  private static let lastCall: Int64 = 700_000_000
  /// Time within which sinks must stop after ``lastCall`` has passed, ns.
  private static let farewell: Int64 = 500_000_000
  /// Maximum number of losses that are reported in one pass of the thread's loop.
  private static let mostLosses = 64

  private let queue: SpoolQueue
  private let ended: @Sendable (_ hasFailed: Bool) -> Void
  /// Number of records in the spool that at least one sink has not acknowledged, as of the last pass of the thread's
  /// loop.
  private let waiting = Atomic<Int64>(0)
  private let statusQuery: ThreadQuery<ForwardingStatus>
  private let followers: Followers?
  private let lossCounts = LossCounts()

  // While ``run(progress:)`` is running, only its thread uses the following properties.
  private var spool: Spool
  private var gaps: GapRecords
  private var wall = WallTime.unknown
  private var sinks: [Box] = []
  /// Files that an earlier run without a spool has written, with the note that replaces each file. A file is removed
  /// after its note is on the disk.
  private var superseded: [(note: String, file: String)] = []
  /// Counts records that the queue discarded because the spool was too slow. The count is logged at most once a minute,
  /// because a slow disk may cause many losses.
  private var lateRecords = RateLimitedCount()
  private var refusedRecords = RateLimitedCount()
  /// The position in the spool up to which followers have received records.
  private var followerPosition = FollowerPosition()
  /// The batch with which records are passed to followers.
  private var shown = RecordBatch()

  /// Holds a `SinkFeeder`, because an array cannot contain a noncopyable value.
  private final class Box {
    var sink: SinkFeeder
    init(_ sink: consuming SinkFeeder) { self.sink = sink }
  }

  /// Opens the spool. This may take long if the spool's file is damaged.
  ///
  /// - Parameters:
  ///   - followers: the followers, which receive the records after their commit; `nil` if there are none.
  ///   - ended: called in the spool's thread when no sink can deliver further records.
  /// - Throws: ``Ports/PortError`` if the process cannot open another file descriptor.
  package init(
    _ options: SpoolOptions, bootId: String, _ origin: Origin, queue: SpoolQueue, followers: Followers? = nil,
    ended: @escaping @Sendable (_ hasFailed: Bool) -> Void
  ) throws(PortError) {
    self.queue = queue
    self.ended = ended
    self.followers = followers
    statusQuery = try ThreadQuery()
    spool = Spool(options, bootId: bootId, at: BootClock.now)
    gaps = GapRecords(gatewayId: origin.gatewayId, vehicleId: origin.vehicleId, seed: origin.idSeed)
  }

  /// Returns a note (a named value in the spool) that an earlier run stored; `nil` if there is none. Call this before
  /// ``run(progress:)``.
  package func note(_ name: String) -> [UInt8]? { spool.note(name) }

  /// Removes a file after the note that replaces it is on the disk. Call this before ``run(progress:)``.
  package func supersede(_ file: String, by note: String) { superseded.append((note, file)) }

  /// Adds a sink, whose index in the spool is the number of sinks added before. Call this before ``run(progress:)``.
  ///
  /// - Parameter usesVSS: whether the sink's records use the names of COVESA VSS.
  package func add(
    _ slot: SinkSlot, name: String, limit: RecordBatch.Limit, _ batchPolicy: BatchPolicy, usesVSS: Bool = false
  ) {
    let names = usesVSS ? VSSNames() : nil
    sinks.append(
      Box(SinkFeeder(name: name, index: sinks.count, slot: slot, limit: limit, batchPolicy, names: names)))
  }

  /// Number of records in the spool that at least one sink has not acknowledged.
  package var depth: Int64 { waiting.load(ordering: .relaxed) }

  /// The losses of records that were reported until now.
  package var losses: LossFigures { lossCounts.now }

  /// Returns a snapshot of the spool and the sinks; `nil` if the thread does not answer within `patience` (ns). Only
  /// one thread at a time may call this.
  package func status(patience: Int64) -> ForwardingStatus? {
    statusQuery.answer(patience: patience) { queue.wakeUp.signal() }
  }

  /// Ends all waits for a snapshot, so that the waiting threads can end.
  package func closeStatus() { statusQuery.close() }

  /// Runs the thread's loop until the queue ends.
  ///
  /// - Parameter progress: receives the thread's progress for the watchdog; `nil` without a watchdog.
  package func run(progress: Progress? = nil) {
    var load = SpoolQueue.Load()
    // Report the losses of the previous run before anything else.
    reportLosses(at: BootClock.now)
    while true {
      queue.wakeUp.clear()
      let now = BootClock.now
      let isLast = receive(&load)
      advance(to: now)
      exchange(at: now)
      show(at: now)
      statusQuery.answer { status(at: now) }
      if isLast { return finish() }
      var due = spool.nextDue
      for box in sinks { due = min(due, box.sink.due) }
      due = min(due, lateRecords.due, refusedRecords.due)
      _ = queue.wakeUp.wait(until: progress?.report(until: due) ?? due)
    }
  }

  /// Stores all records and notes that are in the queue.
  ///
  /// - Returns: whether the queue has ended. No records follow in this case.
  private func receive(_ load: inout SpoolQueue.Load) -> Bool {
    guard queue.move(into: &load) else { return false }
    if let known = load.wall {
      wall = known
      spool.setWallTime(known, at: BootClock.now)
    }
    spool.skip(load.lost, reason: .slowDisk)
    let now = BootClock.now
    if load.lost > 0, lateRecords.add(load.lost, at: now) { Self.reportLate(load.lost) }
    spool.group { spool in
      var place = 0
      for record in load.records {
        let end = place + Int(record.length)
        do throws(RecordFormError) {
          try spool.append(load.bytes.span.extracting(place..<end), at: record.time)
        } catch {
          if refusedRecords.add(at: now) { Log.write("a record is not kept, it is no record: \(error)", .warning) }
        }
        place = end
      }
      for note in load.notes { spool.setNote(note.value, as: note.name) }
    }
    let isLast = load.isLast
    load.clear()
    return isLast
  }

  private static func reportLate(_ count: UInt64) {
    Log.write("the disk takes too long: \(count) records are lost", .warning)
  }

  /// Logs the numbers of lost and rejected records if their log lines are due.
  ///
  /// - Parameter now: time, ns since boot; `.max` to log both numbers now.
  private func reportCounts(at now: Int64) {
    if let (count, _) = lateRecords.popDue(at: now) { Self.reportLate(count) }
    if let (count, _) = refusedRecords.popDue(at: now) {
      Log.write("\(count) more records are not kept: they are none", .warning)
    }
  }

  private func advance(to now: Int64) {
    spool.advance(to: now)
    reportLosses(at: now)
    reportCounts(at: now)
    removeSuperseded()
    while let line = spool.popEvent() { Self.report(line) }
    waiting.store(spool.depth.file + Int64(spool.depth.memory), ordering: .relaxed)
  }

  /// Logs an event of the spool. The opening of an empty spool is not logged.
  private static func report(_ event: SpoolEvent) {
    if case .opened(_, 0) = event { return }
    Log.write("\(event)")
  }

  private func removeSuperseded() {
    for (note, file) in superseded where spool.isDurable(note) {
      // If the file were not removed, the next start would read it again.
      if unsafe unlink(file) != 0, errno != ENOENT { Log.write("\(file): cannot be removed: \(systemReason(errno))") }
      superseded.removeAll { $0.file == file }
    }
  }

  private func reportLosses(at now: Int64) {
    var told = 0
    // The losses of the previous run are reported before any record has a date. If no date is known yet, use the date
    // of the machine's clock.
    var wall = wall
    if wall.quality == .unset {
      let machine = MachineClock.read()
      wall = WallTime(offset: machine.offset, quality: machine.quality)
    }
    while told < Self.mostLosses, let loss = spool.popLoss() {
      told += 1
      let isReported = gaps.report(loss, to: &spool, at: now, wall)
      lossCounts.count(loss, isReported: isReported)
      if !isReported {
        Log.write("records are lost (\(loss.reason.name)), how many is not known")
      }
    }
    // `gap` records are events. Commit them before the records that follow them.
    if told > 0 { spool.advance(to: now) }
  }

  /// Exchanges batches with the sinks. If a sink ends, the others continue. When the last sink has ended, `ended` is
  /// called.
  private func exchange(at now: Int64) {
    for box in sinks {
      guard let end = box.sink.exchange(&spool, at: now) else { continue }
      if sinks.allSatisfy({ $0.sink.isOver }) {
        ended(end == .failed)
      } else {
        let what = end == .failed ? "it is not written to any more, its records wait" : "nobody reads it any more"
        Log.write("\(box.sink.name): \(what); the other sinks go on")
      }
    }
  }

  /// Passes new records to followers, after the exchange with the sinks. Even records that all sinks have acknowledged
  /// during the exchange are still in the spool, because only the next commit removes them.
  private func show(at now: Int64) {
    guard let followers else { return }
    // Without followers, no records are passed. A follower that is added later receives the records of all later
    // rounds.
    guard !followers.isEmpty else { return spool.moveToEnd(&followerPosition) }
    var hasNewRecords = false
    while true {
      spool.show(RecordBatch.Limit(records: 256), to: &followerPosition, into: &shown)
      guard !shown.isEmpty else { break }
      hasNewRecords = true
      for record in shown.records {
        followers.publish(shown.bytes.span.extracting(record.range), sequence: record.number.sequence)
      }
    }
    guard hasNewRecords else { return }
    followers.flush(Followers.Moment(time: RecordTime(now, wall), epoch: spool.presentEpoch))
  }

  private func status(at now: Int64) -> ForwardingStatus {
    let figures = spool.figures(at: now)
    let sinks = zip(sinks, figures.sinkAges).map { box, age in box.sink.status(oldestAge: age) }
    return ForwardingStatus(spool: figures, sinks: sinks)
  }

  /// Commits all records, lets the sinks deliver for a short time, and closes the spool.
  private func finish() {
    let end = BootClock.now &+ Self.lastCall
    while true {
      let now = BootClock.now
      spool.commitAll(at: now)
      removeSuperseded()
      exchange(at: now)
      if now >= end || sinks.allSatisfy({ $0.sink.isIdle(at: now) }) { break }
      if sinks.contains(where: { $0.sink.isDropping(at: now) }) { continue }
      _ = queue.wakeUp.wait(until: end)
      queue.wakeUp.clear()
    }
    reportCounts(at: .max)
    for box in sinks {
      box.sink.logRejections(at: .max)
      box.sink.stop()
    }
    let deadline = BootClock.now &+ Self.farewell
    while true {
      queue.wakeUp.clear()
      if sinks.allSatisfy({ $0.sink.hasEnded }) || BootClock.now >= deadline { break }
      _ = queue.wakeUp.wait(until: deadline)
    }
    exchange(at: BootClock.now)
    close()
  }

  /// Closes the spool. Records that are only in memory are then lost. No `gap` record can report them, so their number
  /// is logged.
  private func close() {
    var reason: SpoolError?
    if case .inMemory(let error) = spool.state { reason = error }
    spool.close(at: BootClock.now)
    while let line = spool.popEvent() {
      if case .inMemory(let error) = line { reason = error }
      Self.report(line)
    }
    let lost = spool.depth.memory
    guard lost > 0 else { return }
    let what = lost == 1 ? "1 record that a sink lacks was" : "\(lost) records that sinks lack were"
    Log.write("\(what) only in memory and lost: \(reason?.description ?? "a sink still had them")", .warning)
  }
}
