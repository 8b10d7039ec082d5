import GatewayOutput
import GatewayStatus
import Ports
import Sinks
import Spool

/// Passes batches of the spool to one sink. Only the spool's thread uses it.
struct SinkFeeder: ~Copyable {
  let name: String
  /// The sink's index in the spool.
  let index: Int
  private let slot: SinkSlot
  private let limit: RecordBatch.Limit
  private var batchTimer: BatchTimer
  private var batch = RecordBatch()
  /// The reason why the sink has ended; `nil` if it still runs.
  private var over: End?
  /// The message of the sink's last failure; `nil` if the sink works.
  private var failure: String?
  private var delivered: UInt64 = 0
  /// Number of records that the server rejected for good, and the reason of the last rejection; `nil` if none was
  /// rejected.
  private var rejected: (count: UInt64, reason: String?) = (0, nil)
  private var rejectionLog = RateLimitedCount()
  /// `records` is the number of records that are set aside: the sink could not send them, although it may be able to
  /// send others. `of` is the size of the spool's backlog when the first of them was set aside. When `records` reaches
  /// `of`, all records that were set aside are delivered again.
  private var setAside = (records: 0, of: 0)
  /// Time at which the sink last delivered records, ns since boot; `nil` if it has not delivered any.
  private var lastDelivery: Int64?

  /// Replaces the names in records by those of COVESA VSS; `nil` to keep the plain names.
  private let names: VSSNames?

  init(
    name: String, index: Int, slot: SinkSlot, limit: RecordBatch.Limit, _ batchPolicy: BatchPolicy, names: VSSNames?
  ) {
    self.names = names
    self.name = name
    self.index = index
    self.slot = slot
    self.limit = limit
    batchTimer = BatchTimer(batchPolicy)
  }

  enum End { case readerLeft, failed }

  /// Handles the sink's reports, and offers it the next batch if one is due.
  ///
  /// - Returns: the reason why the sink has ended, in the first call after its end; `nil` in all other calls. If the
  ///   sink's reader has disconnected, all later records for this sink are discarded.
  mutating func exchange(_ spool: inout Spool, at now: Int64) -> End? {
    var end: End?
    while let report = slot.popReport() {
      for event in report.delivery.events where logsNow(event, at: now) { log("\(event)", Self.importance(of: event)) }
      recordResult(report.delivery, at: now)
      if let batch = report.batch {
        complete(batch, report.delivery, &spool)
      } else {
        batchTimer.batchFinished(report.delivery, of: 0)
      }
      if report.delivery.isOver {
        let hasFailed = report.delivery.events.contains { if case .failing = $0 { true } else { false } }
        end = over == nil ? (hasFailed ? .failed : .readerLeft) : end
        over = over ?? end
      }
    }
    logRejections(at: now)
    batchTimer.recordsArrived(spool.arrived, at: now)
    guard takesBatch, batchTimer.due <= now else { return end }
    if setAside.records > 0, setAside.records >= setAside.of { requeueSetAside(&spool) }
    spool.nextBatch(for: index, limit: limit, at: now, into: &batch)
    if batch.isEmpty, setAside.records > 0 {
      requeueSetAside(&spool)
      spool.nextBatch(for: index, limit: limit, at: now, into: &batch)
    }
    batchTimer.batchFilled(batch, limit)
    if batch.isEmpty { return end }
    batch.name(by: names)
    // If the sink's reader has disconnected, its records are discarded, so that they do not fill the spool. If the sink
    // has failed, its records wait for the next start.
    if over == nil { slot.offer(&batch) } else { spool.acknowledge(batch, by: index) }
    return end
  }

  /// Handles the result of a batch. If the sink sets the batch aside, its records are skipped. They are sent again when
  /// another record was delivered, or when no other record waits.
  private mutating func complete(_ batch: borrowing RecordBatch, _ delivery: Sinks.Delivery, _ spool: inout Spool) {
    guard delivery.isSetAside else {
      spool.complete(batch, acknowledged: delivery.acknowledged, sentNothing: delivery.sentNothing, by: index)
      let before = setAside.records
      if !delivery.acknowledged.isEmpty, before > 0 { requeueSetAside(&spool) }
      return batchTimer.batchFinished(delivery, of: batch.records.count + before)
    }
    if setAside.records == 0 { setAside.of = Int(spool.depth.file) + spool.depth.memory }
    setAside.records += batch.records.count
    batchTimer.batchFinished(delivery, of: batch.records.count)
  }

  private mutating func requeueSetAside(_ spool: inout Spool) {
    spool.requeue(by: index)
    setAside = (0, 0)
  }

  private static func importance(of events: SinkEvent) -> LogLevel {
    switch events {
    case .working: .info
    case .failing, .refused: .warning
    case .remark: .notice
    }
  }

  private mutating func recordResult(_ delivery: Sinks.Delivery, at now: Int64) {
    var count = delivery.acknowledged.reduce(0) { $0 + $1.count }
    for event in delivery.events {
      switch event {
      case .working: failure = nil
      case .failing(let error): failure = error.description
      case .refused(_, let reason, let more, _):
        rejected = (rejected.count + UInt64(1 + more), reason)
        // A rejected record is acknowledged, but it does not count as delivered.
        count -= 1 + more
      case .remark: break
      }
    }
    guard count > 0 else { return }
    delivered += UInt64(count)
    lastDelivery = now
  }

  // MARK: Log

  private func log(_ text: String, _ level: LogLevel) {
    Log.write("\(name): \(text)", level, [JournalField(.sink, name)])
  }

  /// Whether to log an event now. Rejections are counted and logged at most once a minute, because a server may reject
  /// every record.
  private mutating func logsNow(_ event: SinkEvent, at now: Int64) -> Bool {
    guard case .refused(_, _, let more, _) = event else { return true }
    return rejectionLog.add(UInt64(1 + more), at: now)
  }

  /// Logs the number of rejected records that were not logged yet, if a log line is due.
  ///
  /// - Parameter now: time, ns since boot; `.max` to log the number now.
  mutating func logRejections(at now: Int64) {
    guard let (count, _) = rejectionLog.popDue(at: now) else { return }
    log("\(count) more records refused; the last reason: \(rejected.reason ?? "unknown")", .warning)
  }

  /// Returns a snapshot of the sink's state.
  ///
  /// - Parameter oldestAge: age of the oldest record that the sink has not acknowledged, ns; `nil` if it has
  ///   acknowledged all.
  func status(oldestAge: Int64?) -> SinkStatus {
    let state: SinkStatus.State =
      if over != nil { .over } else if failure != nil { .failing } else if slot.takesBatch { .waiting } else {
        .delivering
      }
    return SinkStatus(
      name: name, state: state, reason: failure ?? (over == .readerLeft ? "nobody reads it any more" : nil),
      delivered: delivered, rejected: rejected.count, rejectionReason: rejected.reason, lastDelivery: lastDelivery,
      oldestAge: oldestAge)
  }

  private var takesBatch: Bool { over == .readerLeft || over == nil && slot.takesBatch }

  /// Time at which a batch or a log line is due, ns since boot; `.max` if only a wake-up can make one due.
  var due: Int64 { min(takesBatch ? batchTimer.due : .max, rejectionLog.due) }

  /// Whether the sink is not delivering a batch, and no batch is due.
  func isIdle(at now: Int64) -> Bool {
    !isDropping(at: now) && (over == .readerLeft || slot.hasEnded || slot.takesBatch && batchTimer.due > now)
  }

  /// Whether the sink's reader has disconnected, and records that wait for the sink must be discarded now. No wake-up
  /// is signalled when this becomes true.
  func isDropping(at now: Int64) -> Bool { over == .readerLeft && batchTimer.due <= now }

  var hasEnded: Bool { slot.hasEnded }

  /// Whether the sink can deliver no further records.
  var isOver: Bool { over != nil }

  func stop() { slot.stop() }
}
