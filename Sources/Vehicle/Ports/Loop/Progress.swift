import Synchronization

/// Monitors whether a thread makes progress. The thread announces when it will next report, and other threads check
/// whether it is late.
///
///     let end = progress.report(until: due)      // the thread, in each iteration; it waits until `end` at most
///     if progress.isStuck(at: BootClock.now) { … }
///
/// It is one word of memory that is stored in each iteration. Times are those of ``BootClock``, in ns.
public final class Progress: Sendable {
  /// The longest wait, and the greatest additional delay, ns.
  public let interval: Int64
  private let due: Atomic<Int64>

  /// Creates a monitor.
  ///
  /// - Parameter interval: ns. The thread reports at least once in each interval.
  public init(interval: Int64) {
    self.interval = interval
    due = Atomic(BootClock.now &+ interval)
  }

  /// Reports an iteration of the thread's loop, before it waits.
  ///
  /// - Parameter moment: time until which there is nothing to do; `.max` if the thread waits only for a wake-up.
  /// - Returns: the time until which the thread may wait. It must then report again, even if it has nothing to do.
  public func report(until moment: Int64) -> Int64 {
    let now = BootClock.now
    let end = min(moment, now &+ interval)
    // Work that is already due does not make the thread late.
    due.store(max(end, now), ordering: .relaxed)
    return end
  }

  /// Announces an operation that may take `limit` ns, such as paging a Bluetooth device.
  public func reportOperation(taking limit: Int64) { due.store(BootClock.now &+ limit, ordering: .relaxed) }

  /// Whether the thread is late.
  public func isStuck(at now: Int64) -> Bool { now &- interval > due.load(ordering: .relaxed) }
}
