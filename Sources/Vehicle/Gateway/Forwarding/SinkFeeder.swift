import Ports
import Sinks
import Spool

/// One sink as the spool's thread knows it.
struct SinkFeeder: ~Copyable {
  let name: String
  /// Its number in the spool.
  let index: Int
  private let slot: SinkSlot
  private let limit: RecordBatch.Limit
  private var pace: Pace
  private var batch = RecordBatch()
  /// How it is over; nil: it is not.
  private var over: End?
  /// Why it does not work; nil: it does.
  private var failure: String?
  private var delivered: UInt64 = 0
  /// Records that it has set aside, and how many there were in all when it began to: then they are handed out again.
  private var setAside = (records: 0, of: 0)
  /// When it took the last record, boot time.
  private var lastDelivery: Int64?

  /// Nil: it gets the plain names.
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

  /// Takes in what the sink has said, and hands it the next batch where one is due.
  ///
  /// - Returns: how it is over, once: nobody takes anything at its end, and what the spool has for it goes nowhere; nil: it
  ///   is not, or that was told.
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
    // The spool is not kept full for a reader that will never come. What cannot be written waits for the next start.
    if over == nil { slot.offer(&batch) } else { spool.acknowledge(batch, by: index) }
    return end
  }

  /// What is set aside stays handed out until others were tried: until one of them was taken, or none is left.
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

  /// How it stands.
  ///
  /// - Parameter oldestAge: of the records that it lacks, ns.
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

  /// When a batch is due, boot time in ns; `.max`: when its wakeUp says so.
  var due: Int64 { takesBatch ? pace.due : .max }

  /// Whether nothing is under way and nothing is due.
  func isIdle(at now: Int64) -> Bool {
    !isDropping(at: now) && (over == .readerLeft || slot.hasEnded || slot.takesBatch && pace.due > now)
  }

  /// Whether there is more for a reader that has left: nobody rings a wakeUp for that.
  func isDropping(at now: Int64) -> Bool { over == .readerLeft && pace.due <= now }

  var hasEnded: Bool { slot.hasEnded }

  /// Nobody takes anything at its end any more.
  var isOver: Bool { over != nil }

  func stop() { slot.stop() }
}
