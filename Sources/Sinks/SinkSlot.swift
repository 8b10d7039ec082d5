import CCurl
import Ports
import Spool
import Synchronization

/// Between the thread that has the spool and the thread of one sink: a place for one batch, and for what became of it.
///
/// The spool's thread, for each sink, whenever its own bell rings or something is due:
///
///     while let report = slot.takeReport() {
///       if let batch = report.batch {
///         let delivery = report.delivery
///         spool.settle(batch, acknowledged: delivery.acknowledged, sentNothing: delivery.sentNothing, by: index)
///       }
///       pace.settled(report.delivery, of: report.batch?.records.count ?? 0)      // and say report.delivery.news
///     }
///     pace.noticed(spool.arrived, at: now)
///     if slot.takesBatch, pace.due <= now {
///       spool.nextBatch(for: index, limit: configuration.limit, at: now, into: &batch)
///       pace.handedOut(batch, configuration.limit)
///       if !batch.isEmpty { slot.offer(&batch) }
///     }
///
/// The sink's thread: ``run(_:)``.
public final class SinkSlot: Sendable {
  /// What a sink says of the batch that it had, or between two batches.
  public struct Report: Sendable {
    /// The batch; nil: it had none. Its memory may be filled again.
    public var batch: RecordBatch?
    public var delivery: Delivery

    init(batch: RecordBatch?, delivery: Delivery) {
      self.batch = batch
      self.delivery = delivery
    }

    /// The sink has not seen the batch.
    init(unsent batch: RecordBatch) {
      self.init(batch: batch, delivery: Delivery())
      delivery.sentNothing = true
    }
  }

  private struct State: Sendable {
    var offered: RecordBatch?
    var reports: [Report] = []
    var isBusy = false
    var isOver = false
  }

  private let bell: SinkBell
  private let wakeUp: WakeUp
  private let state = Mutex(State())

  /// - Parameter wakeUp: rings the spool's thread when there is a report.
  /// - Throws: where the process has no descriptors left.
  public init(reportsTo wakeUp: WakeUp) throws(PortError) {
    bell = try SinkBell()
    self.wakeUp = wakeUp
  }

  // MARK: For the spool's thread

  /// Whether a batch may be offered: the sink has none, and is not over.
  public var takesBatch: Bool { state.withLock { !$0.isBusy && $0.offered == nil && !$0.isOver } }

  /// Hands a batch to the sink, which leaves an empty one behind.
  public func offer(_ batch: inout RecordBatch) {
    state.withLock { state in
      precondition(state.offered == nil && !state.isBusy, "the sink has a batch")
      // It may have ended while the batch was filled: then it comes back as it went.
      if state.isOver {
        state.reports.append(Report(unsent: batch))
      } else {
        state.offered = batch
      }
    }
    batch = RecordBatch()
    bell.ring()
    if hasEnded { wakeUp.signal() }
  }

  /// What the sink has said since, oldest first; nil: nothing more.
  public func takeReport() -> Report? { state.withLock { $0.reports.isEmpty ? nil : $0.reports.removeFirst() } }

  /// Ends the sink's thread soon; what it has not handed on by then it does not.
  public func stop() { bell.stop() }

  /// Whether ``run(_:)`` has returned or is about to: all its reports are there.
  public var hasEnded: Bool { state.withLock { $0.isOver } }

  // MARK: For the sink's thread

  /// A sink that has had nothing to do for so long, ns, lets go of what its libraries take.
  private static let restAfter: Int64 = 1_000_000_000

  /// One that has much to do lets go of pages of code so often, ns: what it goes on needing comes back at once, what a
  /// connection needed to begin does not.
  private static let tidyingPeriod: Int64 = 500_000_000

  /// Runs a sink until it is stopped, or nobody takes anything at its other end.
  public func run<Destination: Sink & ~Copyable>(_ sink: consuming Destination) {
    var hasWorked = false
    var nextTidying = Int64.min
    // What was read of libraries to link them is not needed again.
    ccurl_give_back_pages()
    while !bell.isStopping {
      if let batch = takeBatch() {
        let delivery = sink.deliver(batch, bell)
        hasWorked = true
        tidy(&nextTidying)
        tell(Report(batch: batch, delivery: delivery))
        if delivery.isOver { break }
      } else {
        let rest = hasWorked ? BootClock.now &+ Self.restAfter : .max
        let delivery = sink.idle(until: rest, bell)
        // Back before that, it has worked, or is about to.
        hasWorked = BootClock.now < rest
        if hasWorked { tidy(&nextTidying) } else { ccurl_give_back_pages() }
        if delivery != Delivery() { tell(Report(batch: nil, delivery: delivery)) }
        if delivery.isOver { break }
      }
    }
    sink.finish(bell)
    state.withLock { state in
      if let batch = state.offered { state.reports.append(Report(unsent: batch)) }
      state.offered = nil
      state.isOver = true
    }
    wakeUp.signal()
  }

  private func tidy(_ next: inout Int64) {
    let now = BootClock.now
    guard now >= next else { return }
    ccurl_give_back_pages()
    next = now &+ Self.tidyingPeriod
  }

  private func takeBatch() -> RecordBatch? {
    // First silent, then look: what is offered after the look rings anew.
    bell.silence()
    return state.withLock { state in
      guard let batch = state.offered else { return nil }
      state.offered = nil
      state.isBusy = true
      return batch
    }
  }

  private func tell(_ report: Report) {
    state.withLock { state in
      state.isBusy = false
      state.reports.append(report)
    }
    wakeUp.signal()
  }
}
