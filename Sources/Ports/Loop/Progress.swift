import Synchronization

/// Shows to others that a thread goes on: it says by when it will be back, and whoever watches sees whether it was.
///
///     let end = progress.turn(until: due)      // the thread, in each turn of its loop; waits until `end` at most
///     if progress.isStuck(at: BootClock.now) { … }
///
/// A word in memory, stored once a turn. Times are those of ``BootClock``, ns.
public final class Progress: Sendable {
  /// The longest wait, and how late a thread may be besides, ns.
  public let interval: Int64
  private let due: Atomic<Int64>

  /// - Parameter interval: ns; what is watched makes a turn at least so often.
  public init(interval: Int64) {
    self.interval = interval
    due = Atomic(BootClock.now &+ interval)
  }

  /// A turn of the thread's loop, which is about to wait.
  ///
  /// - Parameter moment: until when there is nothing to do; `.max`: until somebody rings.
  /// - Returns: until when it may wait: it makes a turn then, also where it finds nothing to do.
  public func turn(until moment: Int64) -> Int64 {
    let now = BootClock.now
    let end = min(moment, now &+ interval)
    // What is due already is no thread that is late.
    due.store(max(end, now), ordering: .relaxed)
    return end
  }

  /// What comes next may take so long by itself, ns: paging a Bluetooth device, say.
  public func turn(taking limit: Int64) { due.store(BootClock.now &+ limit, ordering: .relaxed) }

  /// Whether the thread should have been back.
  public func isStuck(at now: Int64) -> Bool { now &- interval > due.load(ordering: .relaxed) }
}
