import Glibc

/// The loop that the thread of a connection runs. It waits for bytes, a deadline or a wake-up (poll(2)), and then calls
/// a ``PortHandler``.
///
///     var loop = try PortLoop(wakeUp: wakeUp)
///     try port.open()
///     try loop.run(&port, &handler)      // until the handler stops it, or the device is gone
///
/// The initializer allocates all memory; a running loop allocates none.
public struct PortLoop: ~Copyable {
  /// Maximum number of bytes in one read from the port.
  public static let inputCapacity = 4_096

  private let wakeUp: WakeUp
  private let progress: Progress?
  private var timer: BootTimer
  private var input: [UInt8]

  /// Creates a loop.
  ///
  /// - Parameters:
  ///   - wakeUp: wakes the loop when it is signalled. The loop then calls ``PortHandler/wokenUp(at:_:)``.
  ///   - progress: receives reports of the thread's progress; `nil` if the thread is not monitored.
  /// - Throws: ``PortError/Kind/system`` if the process has no free descriptors.
  public init(wakeUp: WakeUp, progress: Progress? = nil) throws(PortError) {
    self.wakeUp = wakeUp
    self.progress = progress
    timer = try BootTimer()
    input = [UInt8](repeating: 0, count: PortLoop.inputCapacity)
  }

  /// Runs the loop on an open port until the handler stops it.
  ///
  /// - Throws: ``PortError/Kind/gone`` if the device is gone, or another error of the port. The port remains open, so
  ///   the caller must close it.
  public mutating func run<P: Port & ~Copyable, H: PortHandler & ~Copyable>(
    _ port: inout P, _ handler: inout H
  ) throws(PortError) {
    var actions = PortActions()
    handler.opened(at: BootClock.now, &actions)
    while true {
      try carryOut(&actions, &port, &handler)
      if actions.isStopping { return }
      timer.set(actions.deadline)
      let ready = wait(port, writing: actions.unsent.count > 0)
      // Process received bytes before the deadline: a reply that arrived before its deadline is not late.
      if ready.hasRung { timer.clear() }
      if ready.port != 0 { try read(ready.port, &port, &handler, &actions) }
      if let deadline = actions.deadline, !actions.isStopping {
        let now = BootClock.now
        if now >= deadline {
          actions.deadline = nil
          handler.deadlinePassed(at: now, &actions)
        }
      }
      if ready.isWoken, !actions.isStopping, wakeUp.clear() { handler.wokenUp(at: BootClock.now, &actions) }
    }
  }

  /// Performs the actions that the handler has requested: writes as many bytes as the port accepts and, when all bytes
  /// before a change of the baud rate are written, changes the rate.
  private func carryOut<P: Port & ~Copyable, H: PortHandler & ~Copyable>(
    _ actions: inout PortActions, _ port: inout P, _ handler: inout H
  ) throws(PortError) {
    while true {
      while actions.leaving.count > 0 {
        let count = try port.write(actions.leaving)
        if count == 0 { return }
        handler.sent(actions.leaving.extracting(first: count), at: BootClock.now)
        actions.remove(count)
      }
      guard let baud = actions.popBaud() else { return }
      do throws(PortError) {
        try port.setBaud(baud)
      } catch {
        guard error.kind == .invalid else { throw error }
        actions.forgetUnsent()
        guard handler.rateRefused(baud, at: BootClock.now, &actions) else { throw error }
      }
    }
  }

  /// Waits for an event. Returns the events of the port, and whether the timer has expired and whether the wake-up was
  /// signalled.
  private func wait<P: Port & ~Copyable>(
    _ port: borrowing P, writing: Bool
  ) -> (port: Int32, hasRung: Bool, isWoken: Bool) {
    let wanted = writing ? POLLIN | POLLOUT : POLLIN
    var waiting: InlineArray<3, pollfd> = [
      pollfd(fd: port.descriptor, events: Int16(wanted), revents: 0),
      pollfd(fd: timer.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    var span = waiting.mutableSpan
    // If the thread is not monitored, poll(2) needs no timeout, because the timer is one of the descriptors. After
    // EINTR, no events are returned, and the loop waits again.
    let limit = progress.map { BootClock.milliseconds(until: $0.report(until: .max)) } ?? -1
    let count = unsafe span.withUnsafeMutableBufferPointer { unsafe poll($0.baseAddress, nfds_t($0.count), limit) }
    guard count > 0 else { return (0, false, false) }
    return (Int32(span[0].revents), span[1].revents != 0, span[2].revents != 0)
  }

  /// Reads once and calls the handler, or detects that the device is gone.
  private mutating func read<P: Port & ~Copyable, H: PortHandler & ~Copyable>(
    _ ready: Int32, _ port: inout P, _ handler: inout H, _ actions: inout PortActions
  ) throws(PortError) {
    guard ready & ~POLLOUT != 0 else { return }
    var buffer = input.mutableSpan
    let count = try port.read(into: &buffer)
    let now = BootClock.now
    if count > 0 {
      handler.received(input.span.extracting(first: count), at: now, &actions)
    } else if ready & (POLLHUP | POLLERR | POLLNVAL) != 0 {
      // The device has hung up, and nothing is left to read. Without this error, poll(2) would return immediately for
      // ever.
      throw .gone(port.name)
    }
  }
}
