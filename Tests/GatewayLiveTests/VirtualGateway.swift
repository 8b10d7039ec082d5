import AdapterSession
import Fusion
import Simulator
import Telemetry

@testable import Gateway
@testable import GatewayLinks
@testable import GatewayOutput
@testable import GatewayRecords
@testable import GatewayTestKit
@testable import Ports

/// The gateway from the port's loop to its records, with a virtual adapter and a virtual clock: ten minutes take a
/// second. All parts are those of the daemon, except the port and the threads.
final class VirtualGateway {
  /// A record, and the time at which it was made.
  struct Line {
    var time: Duration
    var record: Record
  }

  /// Time since the start, by the adapter's clock.
  private(set) var now = Duration.zero
  private(set) var lines: [Line] = []
  /// Complete commands without their CR.
  private(set) var commands: [(time: Duration, text: String)] = []
  /// Times of each key in telemetry records.
  private var arrivals: [String: [Duration]] = [:]

  private var adapter: VirtualAdapter
  private var driver: AdapterDriver<DeliveryWriter>
  private var actions = PortActions()
  private var reconnecting = ReconnectPlan()
  private var pipeline: RecordPipeline
  private var sink: RecordOutput
  private let queue: RecordQueue
  private let line: AdapterFeed
  private let control: AdapterControl
  private let address: PortAddress
  private let highestBaud: Int
  private var isOpen = false
  private var opensAt: Duration? = .zero
  /// The boot time when `now` is 0, ns. It jumps when the machine sleeps.
  private var bootOffset: Int64 = 1_000_000_000_000
  private var typed: [UInt8] = []
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)

  /// Creates a gateway and an adapter.
  ///
  /// - Parameters:
  ///   - scenario: a scenario of the Simulator.
  ///   - faults: faults of the Simulator.
  ///   - address: determines the rules for opening the port again.
  ///   - highestBaud: the highest baud rate of the driver, which rejects higher ones.
  init(
    _ scenario: Scenario, faults: String, address: PortAddress = .tcp(host: "adapter", port: 35_000),
    configuration: SessionConfiguration = SessionConfiguration(), memory: SessionMemory = SessionMemory(),
    period: Int64 = 250_000_000, highestBaud: Int = .max
  ) throws {
    self.highestBaud = highestBaud
    adapter = VirtualAdapter(scenario, faults: try Fault.list(faults))
    self.address = address
    queue = try RecordQueue()
    sink = RecordOutput(.stdout(queue))
    control = try AdapterControl(address: address, memory: memory)
    let ring = Ring<LinkDelivery>(capacity: LinkDelivery.ringCapacity)
    let writer = DeliveryWriter(ring.producer, wakeUp: try WakeUp(), control: control, figures: LinkFigures())
    var preferences = PollPreferences()
    preferences.defaultPeriod = period
    driver = AdapterDriver(AdapterSession(configuration, preferences: preferences, memory: memory), writer)
    var options = RecordPipeline.Options(
      gatewayId: "gw-test", epoch: UUIDv7(milliseconds: 0, first: 1, rest: 2), idSeed: 3)
    options.cadence = .every(nanoseconds: 200_000_000)
    pipeline = RecordPipeline(options)
    line = AdapterFeed(device: address.deviceName, ring.consumer)
    line.source = pipeline.addSource(device: line.device)
    pipeline.setMachineClock(MachineClock(offset: 1_800_000_000_000_000_000, quality: .system))
  }

  private var bootTime: Int64 {
    bootOffset + now.components.seconds * 1_000_000_000 + now.components.attoseconds / 1_000_000_000
  }

  private func moment(_ bootTime: Int64) -> Duration { .nanoseconds(bootTime - bootOffset) }

  /// Suspends the machine: its boot clock jumps, and the adapter's clock does not.
  func suspend(for time: Duration) { bootOffset += Int64(time / .nanoseconds(1)) }

  /// Replaces the adapter: the port is closed, and can be opened again at once.
  func plug(_ scenario: Scenario, faults: String = "") throws {
    close()
    adapter = VirtualAdapter(scenario, faults: try Fault.list(faults))
    adapter.advance(to: now)
    while !adapter.removeOutput().isEmpty {}
  }

  func poll(_ preferences: PollPreferences) {
    control.poll(preferences)
    driver.wokenUp(at: bootTime, &actions)
  }

  /// The error that the gateway repeatedly asks to be called again at once. The daemon would then use a whole core.
  struct Restless: Error {
    var at: Duration
    var recent: [String]
    var deadline: Duration?
    var event: Duration?
    var record: Duration?
  }

  /// Runs until a time.
  func run(until end: Duration) throws {
    var turns = 0
    var since = now
    while now < end {
      turns += 1
      if now - since > .milliseconds(1) { (turns, since) = (0, now) }
      guard turns < 2_000 else {
        throw Restless(
          at: now, recent: commands.suffix(8).map(\.text), deadline: actions.deadline.map { moment($0) },
          event: adapter.nextEvent, record: pipeline.nextDue == .max ? nil : moment(pipeline.nextDue))
      }
      let due = [
        adapter.nextEvent, isOpen ? actions.deadline.map { moment($0) } : opensAt,
        pipeline.nextDue == .max ? nil : moment(pipeline.nextDue),
      ].compactMap { $0 }.min()
      now = max(now, min(end, due ?? end))
      adapter.advance(to: now)
      if !adapter.isPlugged, isOpen { close() }
      hear()
      if isOpen, let deadline = actions.deadline, bootTime >= deadline {
        actions.deadline = nil
        driver.deadlinePassed(at: bootTime, &actions)
        perform()
      }
      if !isOpen, let opensAt, now >= opensAt { open() }
      try record()
    }
  }

  // MARK: The port

  private func open() {
    guard adapter.isPlugged else {
      if reconnecting.failed(.missing) { driver.listener.unreachable(.missing, at: bootTime) }
      opensAt = moment(reconnecting.nextTry(address, wasOpen: false, notBefore: driver.reopenNotBefore, at: bootTime))
      return
    }
    reconnecting.opened()
    isOpen = true
    opensAt = nil
    actions = PortActions()
    typed = []
    driver.opened(at: bootTime, &actions)
    perform()
  }

  private func close() {
    guard isOpen else { return }
    isOpen = false
    driver.closed(at: bootTime)
    opensAt = moment(reconnecting.nextTry(address, wasOpen: true, notBefore: driver.reopenNotBefore, at: bootTime))
  }

  private func hear() {
    while true {
      let bytes = adapter.removeOutput()
      guard !bytes.isEmpty else { return }
      guard isOpen else { continue }
      driver.received(bytes.span, at: bootTime, &actions)
      perform()
    }
  }

  private func perform() {
    while true {
      var bytes: [UInt8] = []
      for index in 0..<actions.leaving.count { bytes.append(actions.leaving[index]) }
      if !bytes.isEmpty {
        driver.sent(bytes.span, at: bootTime)
        actions.remove(bytes.count)
        record(bytes)
        adapter.receive(bytes, at: now)
      }
      guard let baud = actions.popBaud() else { break }
      guard baud <= highestBaud else {
        actions.forgetUnsent()
        _ = driver.rateRefused(baud, at: bootTime, &actions)
        continue
      }
      adapter.hostBaud = baud
    }
    if actions.isStopping { close() }
  }

  private func record(_ bytes: [UInt8]) {
    for byte in bytes {
      if byte == 0x0D {
        commands.append((now, String(decoding: typed, as: UTF8.self)))
        typed = []
      } else {
        typed.append(byte)
      }
    }
  }

  // MARK: Records

  private func record() throws {
    let before = lines.count
    line.drain(into: &pipeline, &sink)
    pipeline.advance(to: bootTime, into: &sink)
    sink.flush(at: bootTime)
    while let count = queue.moveLines(into: &buffer), count > 0 {
      for text in buffer[..<count].split(separator: 0x0A) { lines.append(Line(time: now, record: try Record(text))) }
    }
    for line in lines[before...] where line.record.type == "telemetry" {
      for key in line.record.keys { arrivals[key, default: []].append(line.time) }
    }
  }

  /// Times of the records with this key.
  func times(of key: String) -> [Duration] { arrivals[key] ?? [] }
}
