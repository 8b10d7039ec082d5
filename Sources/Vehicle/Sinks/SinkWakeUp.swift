import Glibc
import Ports
import Synchronization

/// The wake-up of a sink's thread. It is signalled when a batch is offered to the sink, or when the sink must stop.
public final class SinkWakeUp: Sendable {
  private let wakeUp: WakeUp
  private let stopping = Atomic(false)

  /// Creates a wake-up that is not signalled.
  ///
  /// - Throws: ``PortError`` if the process cannot open another file descriptor.
  public init() throws(PortError) { wakeUp = try WakeUp() }

  /// A file descriptor for poll(2) that is readable while the wake-up is signalled.
  public var descriptor: Int32 { wakeUp.descriptor }

  /// Whether the sink was requested to stop. Its functions must then return, even if their work is not finished.
  public var isStopping: Bool { stopping.load(ordering: .acquiring) }

  /// Requests the sink to stop. This ends its current wait and all later waits.
  public func stop() {
    stopping.store(true, ordering: .releasing)
    wakeUp.signal()
  }

  /// Ends the current wait. If the thread is not waiting, its next wait ends immediately.
  func signal() { wakeUp.signal() }

  /// Clears the signal, unless the sink must stop.
  func clear() {
    wakeUp.clear()
    if isStopping { wakeUp.signal() }
  }

  /// Waits until the wake-up is signalled, at most until `deadline` (ns since boot).
  ///
  /// - Returns: whether the wake-up was signalled. The signal is then cleared, unless the sink must stop.
  @discardableResult
  func wait(until deadline: Int64) -> Bool {
    guard wakeUp.wait(until: deadline) else { return false }
    clear()
    return true
  }

  /// The reason why a wait for a file descriptor ended.
  struct Ready {
    /// Whether the wake-up was signalled.
    var isSignalled = false
    /// The events that poll(2) reports for the file descriptor; 0 if none.
    var events: Int32 = 0
  }

  /// Waits for the wake-up or for a file descriptor. The wait ends at `deadline` (ns since boot), and after one second
  /// at the latest.
  ///
  /// - Parameter events: the events of poll(2) to wait for; 0 to wait only for errors and hang-ups.
  func wait(for descriptor: Int32, _ events: Int32, until deadline: Int64) -> Ready {
    var waiting: InlineArray<2, pollfd> = [
      pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: Int16(events), revents: 0),
    ]
    var span = waiting.mutableSpan
    let limit = Self.milliseconds(until: deadline)
    let count = unsafe span.withUnsafeMutableBufferPointer { unsafe poll($0.baseAddress, nfds_t($0.count), limit) }
    guard count > 0 else { return Ready() }
    let ready = Ready(isSignalled: span[0].revents != 0, events: Int32(span[1].revents))
    if ready.isSignalled { clear() }
    return ready
  }

  /// Converts a deadline to a timeout of poll(2) in ms. The timeout is at most one second, because poll(2) does not
  /// count time during which the machine sleeps.
  static func milliseconds(until deadline: Int64) -> Int32 {
    let (left, isFar) = deadline.subtractingReportingOverflow(BootClock.now)
    guard !isFar else { return deadline > 0 ? 1_000 : 0 }
    return Int32(max(0, min(left / 1_000_000 + 1, 1_000)))
  }
}
