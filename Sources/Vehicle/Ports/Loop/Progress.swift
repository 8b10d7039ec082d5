import Synchronization

/// Shows whether a thread makes progress. The thread stores the time by which it will report next, and other threads
/// check whether it is late.
///
///     let end = progress.report(until: due)      // the thread, in each iteration; it waits until `end` at most
///     if progress.isStuck(at: BootClock.now) { … }
///
/// A report costs one store to memory. Times are those of ``BootClock``, in ns.
public final class Progress: Sendable {
  /// Maximum time between two reports of the thread, ns. If a report is late by more than this time, the thread counts
  /// as stuck.
  public let interval: Int64
  private let due: Atomic<Int64>

  /// Creates a monitor for one thread.
  ///
  /// - Parameter interval: maximum time between two reports of the thread, ns.
  public init(interval: Int64) {
    self.interval = interval
    due = Atomic(BootClock.now &+ interval)
  }

  /// Reports progress. The thread calls this in each iteration of its loop, before it waits.
  ///
  /// - Parameter moment: time at which the thread has work again; `.max` if it waits only for a wake-up.
  /// - Returns: the time until which the thread may wait. Then it must report again, even if it has no work.
  public func report(until moment: Int64) -> Int64 {
    let now = BootClock.now
    let end = min(moment, now &+ interval)
    // If `moment` has already passed, store the current time, so that the thread does not seem late.
    due.store(max(end, now), ordering: .relaxed)
    return end
  }

  /// Announces that the thread begins an operation that may take up to `limit` ns, such as paging a Bluetooth device.
  public func reportOperation(taking limit: Int64) { due.store(BootClock.now &+ limit, ordering: .relaxed) }

  /// Whether the thread's report is late by more than ``interval``.
  public func isStuck(at now: Int64) -> Bool { now &- interval > due.load(ordering: .relaxed) }
}
