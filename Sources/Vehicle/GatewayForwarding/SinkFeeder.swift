import GatewayOutput
import GatewayStatus
import Ports
import Sinks
import Spool

/// The spool thread's side of one sink.
struct SinkFeeder: ~Copyable {
  let name: String
  /// Its index in the spool.
  let index: Int
  private let slot: SinkSlot
  private let limit: RecordBatch.Limit
  private var pace: Pace
  private var batch = RecordBatch()
  /// How it ended; `nil` if it has not.
  private var over: End?
  /// Why it does not work; `nil` if it does.
  private var failure: String?
  private var delivered: UInt64 = 0
  /// Number of records that the sink set aside, and the size of the backlog at the first of them. After that many
  /// records, they are delivered again.
  private var setAside = (records: 0, of: 0)
  /// When it took the last record, boot time.
  private var lastDelivery: Int64?

  /// `nil` for the plain names.
  private let names: VSSNames?

  init(
    name: String, index: Int, slot: SinkSlot, limit: RecordBatch.Limit, _ gathering: Gathering, names: VSSNames?
  ) {
    self.names = names
    self.name = name
    self.index = index
    self.slot = slot
    self.limit = limit
    pace = Pace(gathering)
  }

  enum End { case readerLeft, failed }

  /// Handles the sink's reports, and offers it the next batch if one is due.
  ///
  /// - Returns: how the sink ended, once; otherwise `nil`. What the spool has for it is then discarded.
  mutating func exchange(_ spool: inout Spool, at now: Int64) -> End? {
    var end: End?
    while let report = slot.takeReport() {
      for line in report.delivery.news {
        Log.write("\(name): \(line)", Self.importance(of: line), [JournalField(.sink, name)])
      }
      note(report.delivery, at: now)
      if let batch = report.batch {
        settle(batch, report.delivery, &spool)
      } else {
        pace.settled(report.delivery, of: 0)
      }
      if report.delivery.isOver {
        let hasFailed = report.delivery.news.contains { if case .failing = $0 { true } else { false } }
        end = over == nil ? (hasFailed ? .failed : .readerLeft) : end
        over = over ?? end
      }
    }
    pace.noticed(spool.arrived, at: now)
    guard takesBatch, pace.due <= now else { return end }
    if setAside.records > 0, setAside.records >= setAside.of { takeBack(&spool) }
    spool.nextBatch(for: index, limit: limit, at: now, into: &batch)
    if batch.isEmpty, setAside.records > 0 {
      takeBack(&spool)
      spool.nextBatch(for: index, limit: limit, at: now, into: &batch)
    }
    pace.handedOut(batch, limit)
    if batch.isEmpty { return end }
    batch.name(by: names)
    // Records for a reader that has left must not fill the spool. If writing failed, they wait for the next start.
    if over == nil { slot.offer(&batch) } else { spool.acknowledge(batch, by: index) }
    return end
  }

  /// Records that were set aside stay delivered until others were tried: until one was taken, or none is left.
  private mutating func settle(_ batch: borrowing RecordBatch, _ delivery: Sinks.Delivery, _ spool: inout Spool) {
    guard delivery.isSetAside else {
      spool.settle(batch, acknowledged: delivery.acknowledged, sentNothing: delivery.sentNothing, by: index)
      let before = setAside.records
      if !delivery.acknowledged.isEmpty, before > 0 { takeBack(&spool) }
      return pace.settled(delivery, of: batch.records.count + before)
    }
    if setAside.records == 0 { setAside.of = Int(spool.depth.file) + spool.depth.memory }
    setAside.records += batch.records.count
    pace.settled(delivery, of: batch.records.count)
  }

  private mutating func takeBack(_ spool: inout Spool) {
    spool.giveBack(by: index)
    setAside = (0, 0)
  }

  private static func importance(of news: SinkNews) -> LogLevel {
    switch news {
    case .working: .info
    case .failing, .refused: .warning
    case .remark: .notice
    }
  }

  private mutating func note(_ delivery: Sinks.Delivery, at now: Int64) {
    for news in delivery.news {
      switch news {
      case .working: failure = nil
      case .failing(let error): failure = error.description
      case .refused, .remark: break
      }
    }
    let count = delivery.acknowledged.reduce(0) { $0 + $1.count }
    guard count > 0 else { return }
    delivered += UInt64(count)
    lastDelivery = now
  }

  /// Returns a snapshot of the state.
  ///
  /// - Parameter oldestAge: age of the oldest record that it lacks, ns.
  func status(oldestAge: Int64?) -> SinkStatus {
    let state: SinkStatus.State =
      if over != nil { .over } else if failure != nil { .failing } else if slot.takesBatch { .waiting } else {
        .delivering
      }
    return SinkStatus(
      name: name, state: state, reason: failure ?? (over == .readerLeft ? "nobody reads it any more" : nil),
      delivered: delivered, lastDelivery: lastDelivery, oldestAge: oldestAge)
  }

  private var takesBatch: Bool { over == .readerLeft || over == nil && slot.takesBatch }

  /// When a batch is due, boot time in ns; `.max` to wait for a wake-up.
  var due: Int64 { takesBatch ? pace.due : .max }

  /// Whether no batch is with the sink and none is due.
  func isIdle(at now: Int64) -> Bool {
    !isDropping(at: now) && (over == .readerLeft || slot.hasEnded || slot.takesBatch && pace.due > now)
  }

  /// Whether there are more records for a reader that has left; no wake-up reports that.
  func isDropping(at now: Int64) -> Bool { over == .readerLeft && pace.due <= now }

  var hasEnded: Bool { slot.hasEnded }

  /// Whether it cannot deliver any more.
  var isOver: Bool { over != nil }

  func stop() { slot.stop() }
}
