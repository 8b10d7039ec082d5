import Synchronization

/// Shows whether a thread makes progress. The thread stores the time by which it will report next, and other threads
/// check whether it is late.
///
///     let end = progress.report(until: due)      // the thread, in each iteration; it waits until `end` at most
///     if progress.isStuck(at: BootClock.now) { … }
///
/// It costs one store to memory in each iteration. Times are those of ``BootClock``, in ns.
public final class Progress: Sendable {
  /// Maximum time between two reports, and the additional delay after which the thread counts as stuck, ns.
  public let interval: Int64
  private let due: Atomic<Int64>

  /// Creates a monitor.
  ///
  /// - Parameter interval: maximum time between two reports of the thread, ns.
  public init(interval: Int64) {
    self.interval = interval
    due = Atomic(BootClock.now &+ interval)
  }

  /// Reports an iteration of the thread's loop, before it waits.
  ///
  /// - Parameter moment: time until which the thread has nothing to do; `.max` if it waits only for a wake-up.
  /// - Returns: the time until which the thread may wait. It must then report again, even if it has nothing to do.
  public func report(until moment: Int64) -> Int64 {
    let now = BootClock.now
    let end = min(moment, now &+ interval)
    // If `moment` has already passed, count from now, so that the thread does not seem late.
    due.store(max(end, now), ordering: .relaxed)
    return end
  }

  /// Announces that the thread begins an operation that may take `limit` ns, such as paging a Bluetooth device.
  public func reportOperation(taking limit: Int64) { due.store(BootClock.now &+ limit, ordering: .relaxed) }

  /// Whether the thread should have reported long ago.
  public func isStuck(at now: Int64) -> Bool { now &- interval > due.load(ordering: .relaxed) }
}
