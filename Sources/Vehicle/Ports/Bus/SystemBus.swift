import CSystemd
import Glibc

/// Receives the messages that arrive while a call waits for its answer: signals, and calls of methods that this process
/// offers.
protocol BusListener: AnyObject { func receive(_ message: BusMessage) }

/// A connection to the D-Bus system bus. Only one thread may use it. Only ``call(_:until:unless:telling:)`` and
/// ``wait(until:unless:)`` block. sd-bus allocates memory for each message.
@safe final class SystemBus {
  let bus: OpaquePointer
  /// Address of the bus; `nil` for the system bus.
  let address: String?

  /// Connects to a bus.
  ///
  /// - Parameter address: address of the bus; `nil` for the system bus (`DBUS_SYSTEM_BUS_ADDRESS` if it is set).
  /// - Throws: ``BusError`` if the bus does not exist or cannot be reached.
  init(address: String? = nil) throws(BusError) {
    guard csystemd_load() == 0 else { throw .noLibrary }
    var opened: OpaquePointer?
    let code = unsafe csystemd_bus_open(address, &opened)
    guard code >= 0, let bus = unsafe opened else { throw .noBus(-code) }
    unsafe self.bus = bus
    self.address = address
  }

  deinit { unsafe csystemd_bus_close(bus) }

  /// The descriptor of the connection for poll(2).
  var descriptor: Int32 { unsafe csystemd_bus_descriptor(bus) }
  /// The events of poll(2) for which ``descriptor`` must be watched now.
  var events: Int32 { unsafe csystemd_bus_events(bus) }

  /// Returns the next message that has arrived; `nil` if there is none.
  func next() throws(BusError) -> BusMessage? {
    while true {
      var message: OpaquePointer?
      let code = unsafe csystemd_bus_next(bus, &message)
      guard code >= 0 else { throw .lost(-code) }
      if let message = unsafe message { return unsafe BusMessage(owning: message) }
      if code == 0 { return nil }
    }
  }

  /// Sends a message without waiting for an answer.
  func post(_ call: BusCall) throws(BusError) { try unsafe transmit(call, nil) }

  /// Sends a call without waiting for its answer.
  ///
  /// - Returns: the number that ``BusMessage/cookie`` of the answer will have.
  func send(_ call: BusCall) throws(BusError) -> UInt64 {
    var cookie: UInt64 = 0
    try unsafe transmit(call, &cookie)
    return cookie
  }

  private func transmit(_ call: BusCall, _ cookie: UnsafeMutablePointer<UInt64>?) throws(BusError) {
    guard call.code >= 0, let message = unsafe call.message else { throw .malformed }
    let code = unsafe csystemd_bus_send(bus, message, cookie)
    guard code >= 0 else { throw .lost(-code) }
  }

  /// Sends a call and waits for its answer.
  ///
  /// - Parameters:
  ///   - call: the call.
  ///   - deadline: time of ``BootClock`` at which the wait ends.
  ///   - wakeUp: ends the wait when it is signalled, and remains signalled.
  ///   - listener: receives all other messages that arrive meanwhile.
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
        listener?.receive(message)
        // Check the deadline here, too, because messages may arrive without a pause.
        if BootClock.now >= deadline { throw .timedOut }
      }
      try wait(until: deadline, unless: wakeUp)
    }
  }

  /// Waits until a message has arrived.
  ///
  /// - Parameters:
  ///   - deadline: time of ``BootClock`` at which the wait ends; `.max` for no limit.
  ///   - wakeUp: ends the wait when it is signalled.
  func wait(until deadline: Int64, unless wakeUp: WakeUp?) throws(BusError) {
    while true {
      var waiting: InlineArray<2, pollfd> = [
        pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0),
        pollfd(fd: wakeUp?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
      ]
      var span = waiting.mutableSpan
      // Wait for at most one second at a time, because poll(2) does not count the time in which the machine sleeps.
      let limit = deadline == .max ? -1 : min(BootClock.milliseconds(until: deadline), 1_000)
      let count = unsafe span.withUnsafeMutableBufferPointer { unsafe poll($0.baseAddress, nfds_t($0.count), limit) }
      if count < 0 && errno != EINTR { throw .lost(errno) }
      if count > 0 && span[1].revents != 0 { throw .interrupted }
      if count > 0 { return }
      if BootClock.now >= deadline { throw .timedOut }
    }
  }
}
