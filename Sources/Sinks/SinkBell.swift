import Glibc
import Ports
import Synchronization

/// Ends a sink's waiting: there is a batch for it, or it is to stop.
public final class SinkBell: Sendable {
  private let wakeUp: WakeUp
  private let stopping = Atomic(false)

  /// - Throws: where the process has no descriptors left.
  public init() throws(PortError) { wakeUp = try WakeUp() }

  /// For `poll(2)`: readable while it rings.
  public var descriptor: Int32 { wakeUp.descriptor }

  /// Whether the sink is to return without having finished.
  public var isStopping: Bool { stopping.load(ordering: .acquiring) }

  /// Ends every waiting, now and from now on: it is never silent again.
  public func stop() {
    stopping.store(true, ordering: .releasing)
    wakeUp.signal()
  }

  /// Ends the waiting that is under way, or the next.
  func ring() { wakeUp.signal() }

  /// Silences it, unless it rings for the end.
  func silence() {
    wakeUp.silence()
    if isStopping { wakeUp.signal() }
  }

  /// Waits until it rings or that moment comes (boot time, ns).
  ///
  /// - Returns: whether it rang; it is silent then, unless for the end.
  @discardableResult
  func wait(until deadline: Int64) -> Bool {
    guard wakeUp.wait(until: deadline) else { return false }
    silence()
    return true
  }

  /// What ended a waiting.
  struct Ready {
    /// The bell.
    var isRung = false
    /// What poll(2) says of the descriptor; 0: nothing.
    var events: Int32 = 0
  }

  /// Waits the same way for a descriptor, too; a second at most.
  ///
  /// - Parameter events: of poll(2); 0: only that it fails or is hung up.
  func wait(for descriptor: Int32, _ events: Int32, until deadline: Int64) -> Ready {
    var waiting: InlineArray<2, pollfd> = [
      pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: Int16(events), revents: 0),
    ]
    var span = waiting.mutableSpan
    let limit = Self.milliseconds(until: deadline)
    let count = unsafe span.withUnsafeMutableBufferPointer { unsafe poll($0.baseAddress, nfds_t($0.count), limit) }
    guard count > 0 else { return Ready() }
    let ready = Ready(isRung: span[0].revents != 0, events: Int32(span[1].revents))
    if ready.isRung { silence() }
    return ready
  }

  /// For poll(2): a second at most, because it does not count the time that the machine sleeps.
  static func milliseconds(until deadline: Int64) -> Int32 {
    let (left, isFar) = deadline.subtractingReportingOverflow(BootClock.now)
    guard !isFar else { return deadline > 0 ? 1_000 : 0 }
    return Int32(max(0, min(left / 1_000_000 + 1, 1_000)))
  }
}
