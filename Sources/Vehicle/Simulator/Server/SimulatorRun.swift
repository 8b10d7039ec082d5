import Glibc

/// The main loop: waits for the host and for the adapter's next event, and passes bytes between host and adapter. No
/// other type of the simulator reads a clock.
struct SimulatorRun<Link: HostLink & ~Copyable>: ~Copyable {
  private var link: Link
  private var adapter: VirtualAdapter
  private var log: DialogueLog?
  private let started: Duration
  /// Bytes that the host has not read yet. If there are 64 KiB or more, further bytes are lost, as with a real driver.
  private var unsent: [UInt8] = []
  private var buffer = [UInt8](repeating: 0, count: 4096)
  private var wasConnected = false

  init(_ link: consuming Link, _ scenario: Scenario, _ options: SimulatorOptions) throws(SimulatorError) {
    self.link = link
    adapter = VirtualAdapter(scenario)
    started = Self.clock()
    log =
      try options.log.map { path throws(SimulatorError) in
        let car = scenario.cars[0].car
        return try DialogueLog(
          path: path,
          header: [
            "vehicle: simulated \(car.bus.name)   adapter: \(scenario.adapter.identity)   provenance: obdgate simulate",
            "baud: \(scenario.adapter.baud)",
          ])
      }
  }

  /// Runs until `stop` is signalled.
  mutating func run(until stop: StopSignal, announce: (String) -> Void) throws(SimulatorError) {
    try plug(announce)
    var isPlugged = true
    while try wait(stop) {
      let now = Self.clock() - started
      if adapter.isPlugged != isPlugged {
        isPlugged = adapter.isPlugged
        unsent = []
        if isPlugged { try plug(announce) } else { link.close() }
      }
      if adapter.isStrictAboutBaud { adapter.hostBaud = link.hostBaud }
      try readInput(at: now)
      adapter.advance(to: now)
      try speak(at: now)
      try flush(at: now)
    }
    try flush(at: Self.clock() - started, isLast: true)
    link.close()
  }

  private mutating func plug(_ announce: (String) -> Void) throws(SimulatorError) {
    try link.open()
    announce(link.name)
  }

  /// Waits until the host or the adapter has something to do.
  ///
  /// - Returns: `false` if `stop` was signalled.
  private mutating func wait(_ stop: StopSignal) throws(SimulatorError) -> Bool {
    var waiting = [pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0)]
    let events = Int16(POLLIN) | (unsent.isEmpty ? 0 : Int16(POLLOUT))
    for descriptor in link.descriptors { waiting.append(pollfd(fd: descriptor, events: events, revents: 0)) }
    // Without a host, check every 10 ms whether one has connected. With a host, wake up at least every 250 ms to write
    // the log.
    var longest: Duration = link.isConnected ? .milliseconds(250) : .milliseconds(10)
    if let event = adapter.nextEvent { longest = min(longest, event - (Self.clock() - started)) }
    let milliseconds = max(0, Int32(longest / .milliseconds(1)))
    let count = unsafe poll(&waiting, nfds_t(waiting.count), milliseconds)
    guard count >= 0 || errno == EINTR else { throw .system(.unavailable, "poll") }
    if waiting[0].revents != 0 { return false }
    if count == 0, let event = adapter.nextEvent {
      // poll(2) waits for whole milliseconds. Sleep for the rest of the time to the event.
      let rest = event - (Self.clock() - started)
      if rest > .zero, rest < .milliseconds(1) {
        var pause = timespec(tv_sec: 0, tv_nsec: Int(rest / .nanoseconds(1)))
        unsafe nanosleep(&pause, nil)
      }
    }
    return true
  }

  private mutating func readInput(at now: Duration) throws(SimulatorError) {
    link.accept()
    if wasConnected, !link.isConnected { unsent = [] }
    wasConnected = link.isConnected
    guard link.isConnected else { return }
    if case .bytes(let count) = link.read(into: &buffer) {
      log?.write(buffer[..<count], direction: ">", at: now)
      adapter.receive(buffer[..<count], at: now)
    }
  }

  private mutating func speak(at now: Duration) throws(SimulatorError) {
    while true {
      let piece = adapter.removeOutput()
      guard !piece.isEmpty else { break }
      // If no host is connected, the output is lost.
      guard link.isConnected else { continue }
      log?.write(piece, direction: "<", at: now)
      if unsent.count < 65_536 { unsent += piece }
      drain()
    }
    drain()
  }

  private mutating func drain() {
    while !unsent.isEmpty {
      guard let count = link.write(unsent[...]) else {
        unsent = []
        return
      }
      guard count > 0 else { return }
      unsent.removeFirst(count)
    }
  }

  private mutating func flush(at now: Duration, isLast: Bool = false) throws(SimulatorError) {
    try log?.flush(at: now, isLast: isLast)
  }

  /// Returns the time of a monotonic clock, which stops while the machine sleeps.
  private static func clock() -> Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
