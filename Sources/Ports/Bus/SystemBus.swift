import CSystemd
import Glibc

/// Hears what comes over the bus besides the answer that is waited for: signals, and calls of methods of ours.
protocol BusListener: AnyObject { func heard(_ message: BusMessage) }

/// A connection to the system bus, of one thread. It never waits but in ``call(_:until:unless:telling:)`` and
/// ``wait(until:unless:)``. sd-bus takes memory from the heap for every message.
@safe final class SystemBus {
  let bus: OpaquePointer
  /// nil: the system's.
  let address: String?

  /// - Parameter address: of another bus than the system's (`DBUS_SYSTEM_BUS_ADDRESS`, where that is set).
  /// - Throws: where there is no bus.
  init(address: String? = nil) throws(BusError) {
    guard csystemd_load() == 0 else { throw .noLibrary }
    var opened: OpaquePointer?
    let code = unsafe csystemd_bus_open(address, &opened)
    guard code >= 0, let bus = unsafe opened else { throw .noBus(-code) }
    unsafe self.bus = bus
    self.address = address
  }

  deinit { unsafe csystemd_bus_close(bus) }

  /// For `poll(2)`, with what to wait for.
  var descriptor: Int32 { unsafe csystemd_bus_descriptor(bus) }
  var events: Int32 { unsafe csystemd_bus_events(bus) }

  /// The next message that has arrived; nil: none now.
  func next() throws(BusError) -> BusMessage? {
    while true {
      var message: OpaquePointer?
      let code = unsafe csystemd_bus_next(bus, &message)
      guard code >= 0 else { throw .lost(-code) }
      if let message = unsafe message { return unsafe BusMessage(owning: message) }
      if code == 0 { return nil }
    }
  }

  /// Sends a message whose answer does not matter.
  func post(_ call: BusCall) throws(BusError) { try unsafe hand(over: call, nil) }

  /// Sends a call.
  ///
  /// - Returns: ``BusMessage/cookie`` of its answer.
  func send(_ call: BusCall) throws(BusError) -> UInt64 {
    var cookie: UInt64 = 0
    try unsafe hand(over: call, &cookie)
    return cookie
  }

  private func hand(over call: BusCall, _ cookie: UnsafeMutablePointer<UInt64>?) throws(BusError) {
    guard call.code >= 0, let message = unsafe call.message else { throw .malformed }
    let code = unsafe csystemd_bus_send(bus, message, cookie)
    guard code >= 0 else { throw .lost(-code) }
  }

  /// Sends a call and waits for its answer.
  ///
  /// - Parameters:
  ///   - deadline: a moment of ``BootClock``.
  ///   - wakeUp: when this is signalled, it is waited for no longer. The signal stays.
  ///   - listener: is told what comes besides.
  func call(
    _ call: BusCall, until deadline: Int64, unless wakeUp: WakeUp? = nil, telling listener: (any BusListener)? = nil
  ) throws(BusError) -> BusMessage {
    let cookie = try send(call)
    while true {
      while let message = try next() {
        if message.cookie == cookie {
          if message.kind == .failure { throw message.failure }
          return message
        }
        listener?.heard(message)
        // Whoever sends without end must not keep us.
        if BootClock.now >= deadline { throw .timedOut }
      }
      try wait(until: deadline, unless: wakeUp)
    }
  }

  /// Waits until something has arrived.
  ///
  /// - Parameter deadline: a moment of ``BootClock``; `.max`: none.
  func wait(until deadline: Int64, unless wakeUp: WakeUp?) throws(BusError) {
    while true {
      var waiting: InlineArray<2, pollfd> = [
        pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0),
        pollfd(fd: wakeUp?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
      ]
      var span = waiting.mutableSpan
      // A second at most: poll(2) does not count the time that the machine sleeps.
      let limit = deadline == .max ? -1 : min(BootClock.milliseconds(until: deadline), 1_000)
      let count = unsafe span.withUnsafeMutableBufferPointer { unsafe poll($0.baseAddress, nfds_t($0.count), limit) }
      if count < 0 && errno != EINTR { throw .lost(errno) }
      if count > 0 && span[1].revents != 0 { throw .interrupted }
      if count > 0 { return }
      if BootClock.now >= deadline { throw .timedOut }
    }
  }
}
