import CCurl
import Ports
import Spool
import Synchronization

/// Passes batches and their results between the spool's thread and the thread of one sink. There is one slot for each
/// sink.
///
/// When the spool's thread wakes up or a batch is due, it executes this for each sink:
///
///     while let report = slot.popReport() {
///       if let batch = report.batch {
///         let delivery = report.delivery
///         spool.complete(batch, acknowledged: delivery.acknowledged, sentNothing: delivery.sentNothing, by: index)
///       }
///       batchTimer.batchFinished(report.delivery, of: report.batch?.records.count ?? 0)      // and log report.delivery.events
///     }
///     batchTimer.recordsArrived(spool.arrived, at: now)
///     if slot.takesBatch, batchTimer.due <= now {
///       spool.nextBatch(for: index, limit: configuration.limit, at: now, into: &batch)
///       batchTimer.batchFilled(batch, configuration.limit)
///       if !batch.isEmpty { slot.offer(&batch) }
///     }
///
/// The sink's thread calls ``run(_:)``.
public final class SinkSlot: Sendable {
  /// A report of a sink: the result of a batch, or an event between two batches.
  public struct Report: Sendable {
    /// The batch; `nil` if the report is about no batch. The caller may reuse the memory of the batch.
    public var batch: RecordBatch?
    /// The result. If there is no batch, only ``Delivery/notBefore``, ``Delivery/events`` and ``Delivery/isOver`` are
    /// used.
    public var delivery: Delivery

    init(batch: RecordBatch?, delivery: Delivery) {
      self.batch = batch
      self.delivery = delivery
    }

    /// Creates the report of a batch that was never passed to the sink.
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

  private let sinkWakeUp: SinkWakeUp
  private let spoolWakeUp: WakeUp
  private let state = Mutex(State())

  /// Creates a slot for one sink.
  ///
  /// - Parameter spoolWakeUp: the wake-up of the spool's thread. It is signalled when there is a report.
  /// - Throws: ``PortError`` if the process cannot open another file descriptor.
  public init(reportsTo spoolWakeUp: WakeUp) throws(PortError) {
    sinkWakeUp = try SinkWakeUp()
    self.spoolWakeUp = spoolWakeUp
  }

  // MARK: Spool's thread

  /// Whether ``offer(_:)`` may be called: the sink has no batch, and has not ended.
  public var takesBatch: Bool { state.withLock { !$0.isBusy && $0.offered == nil && !$0.isOver } }

  /// Passes a batch to the sink. Afterwards, `batch` is empty.
  public func offer(_ batch: inout RecordBatch) {
    state.withLock { state in
      precondition(state.offered == nil && !state.isBusy, "the sink has a batch")
      // The sink may have ended while the batch was filled. In this case, report the batch as not sent.
      if state.isOver {
        state.reports.append(Report(unsent: batch))
      } else {
        state.offered = batch
      }
    }
    batch = RecordBatch()
    sinkWakeUp.signal()
    if hasEnded { spoolWakeUp.signal() }
  }

  /// Removes and returns the oldest report of the sink; `nil` if there is none.
  public func popReport() -> Report? { state.withLock { $0.reports.isEmpty ? nil : $0.reports.removeFirst() } }

  /// Stops the sink. Its thread ends soon afterwards. Records that were not delivered until then stay in the spool.
  public func stop() { sinkWakeUp.stop() }

  /// Whether ``run(_:)`` has returned or will return soon, without adding further reports.
  public var hasEnded: Bool { state.withLock { $0.isOver } }

  // MARK: Sink's thread

  /// Time without work after which a sink returns the memory pages of its libraries to the system, ns.
  private static let restAfter: Int64 = 1_000_000_000

  /// Interval at which a busy sink returns the memory pages of its libraries to the system, ns. The system loads pages
  /// again when they are used. Pages that are used only to establish a connection stay unloaded.
  private static let tidyingPeriod: Int64 = 500_000_000

  /// Runs a sink on the current thread until it is stopped or reports ``Delivery/isOver``.
  public func run<Destination: Sink & ~Copyable>(_ sink: consuming Destination) {
    var hasWorked = false
    var nextTidying = Int64.min
    // Return memory pages to the system that were needed only while the libraries were loaded.
    ccurl_give_back_pages()
    while !sinkWakeUp.isStopping {
      if let batch = popBatch() {
        let delivery = sink.deliver(batch, sinkWakeUp)
        hasWorked = true
        tidy(&nextTidying)
        append(Report(batch: batch, delivery: delivery))
        if delivery.isOver { break }
      } else {
        let rest = hasWorked ? BootClock.now &+ Self.restAfter : .max
        let delivery = sink.idle(until: rest, sinkWakeUp)
        // If the call returned before `rest`, the sink has worked or is about to work.
        hasWorked = BootClock.now < rest
        if hasWorked { tidy(&nextTidying) } else { ccurl_give_back_pages() }
        if delivery != Delivery() { append(Report(batch: nil, delivery: delivery)) }
        if delivery.isOver { break }
      }
    }
    sink.finish(sinkWakeUp)
    state.withLock { state in
      if let batch = state.offered { state.reports.append(Report(unsent: batch)) }
      state.offered = nil
      state.isOver = true
    }
    spoolWakeUp.signal()
  }

  private func tidy(_ next: inout Int64) {
    let now = BootClock.now
    guard now >= next else { return }
    ccurl_give_back_pages()
    next = now &+ Self.tidyingPeriod
  }

  private func popBatch() -> RecordBatch? {
    // Clear the signal before checking for a batch. A batch that is offered after the check then sets the signal again.
    sinkWakeUp.clear()
    return state.withLock { state in
      guard let batch = state.offered else { return nil }
      state.offered = nil
      state.isBusy = true
      return batch
    }
  }

  private func append(_ report: Report) {
    state.withLock { state in
      state.isBusy = false
      state.reports.append(report)
    }
    spoolWakeUp.signal()
  }
}
