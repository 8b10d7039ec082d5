/// A virtual ELM327 that is connected to a virtual car. It receives and returns bytes with their times, does no I/O,
/// and reads no clock. The same calls always give the same bytes.
///
/// Call ``receive(_:at:)`` with the bytes that the host sends. Call ``advance(to:)`` no later than ``nextEvent``. After
/// each call, call ``removeOutput()`` until it returns an empty array. Times must not decrease.
///
///     var adapter = VirtualAdapter(Scenario.standard)
///     adapter.receive(Array("ATZ\r".utf8), at: .zero)
///     while let time = adapter.nextEvent, time < .seconds(2) {
///       adapter.advance(to: time)
///       print(time, adapter.removeOutput())
///     }
public struct VirtualAdapter: ~Copyable {
  let model: AdapterModel
  var cars: [Scenario.CarEntry]
  var faults: FaultPlan
  var line: SerialLine
  var settings: VirtualAdapterSettings

  /// The current time of the simulation.
  var now = Duration.zero
  /// Characters of a command whose CR has not arrived yet.
  var typed: [UInt8] = []
  var lastTyped = Duration.zero
  /// The characters of the last command. An empty command repeats that command.
  var lastCommand: [UInt8] = []
  var task: AdapterTask?
  /// Characters that arrived while a task that cannot be interrupted was running.
  var typeahead: [UInt8] = []
  /// The bus that is initialized; `nil` if a bus must first be searched or initialized.
  var active: Bus?
  /// Time at which the last frame on the bus ended.
  var lastTraffic = Duration.seconds(-3600)
  /// Frames of an earlier request that were still to come when the adapter stopped waiting.
  var stale: [BusFrame] = []
  /// The longest time that ECUs recently took to answer, for adaptive timing; `nil` if no ECU answered the last
  /// request.
  var slowest: Duration?
  /// The output for the current command. The fault `replyTwice` repeats it.
  var printed: [UInt8] = []
  /// An answer that is kept until the next command, because the fault `replyBehind` or `replyJoined` is active.
  var heldBack: [UInt8] = []
  /// Whether the output for the current command is added to `heldBack` instead of being sent.
  var isHoldingBack = false
  /// Alerts that the adapter prints when its current task has ended.
  var alerts: [String] = []
  var isAsleep = false
  /// Time at which the adapter falls asleep; `nil` if it does not.
  var sleepsAt: Duration?
  /// The previous baud rate, and the time at which it is restored unless the host confirms the new one; `nil` if no
  /// change is in progress.
  var baudTrial: (previous: Int, until: Duration)?
  /// The time up to which ``playFaults()`` has simulated faults.
  var faultsPlayed = Duration.nanoseconds(-1)
  var nextSentence = Duration.zero
  var wasPlugged = true
  /// Text that a client has stored with `AT@3`; `nil` for none.
  var storedTitle: String?
  /// The host's baud rate, for a port that has one of its own (a pseudo-terminal); `nil` for other ports, on which
  /// every rate works.
  public var hostBaud: Int?

  /// Creates an adapter that is powered up at time zero.
  ///
  /// - Parameters:
  ///   - scenario: adapter, cars and faults.
  ///   - more: faults in addition to those of the scenario.
  public init(_ scenario: Scenario, faults more: [Fault] = []) {
    model = scenario.adapter
    cars = scenario.cars
    faults = FaultPlan(scenario.faults + more, seed: scenario.seed)
    line = SerialLine(baud: model.baud, chunkTime: model.chunkTime, chunkSize: model.chunkSize)
    settings = VirtualAdapterSettings(linefeeds: model.linefeeds)
  }

  /// The adapter's current baud rate, which `ATBRD` changes.
  public var baud: Int { line.baud }

  /// Whether bytes become garbage if the host's baud rate is wrong.
  var isStrictAboutBaud: Bool { model.isStrictAboutBaud }

  /// Whether the adapter is plugged in. During the fault `unplug`, it is not, and the caller must close the port.
  public var isPlugged: Bool { !faults.holds(.unplug, at: now) }

  /// Receives bytes from the host at `time`. They reach the adapter one after another at the baud rate.
  public mutating func receive(_ bytes: some Sequence<UInt8>, at time: Duration) {
    advance(to: time)
    for byte in bytes { line.send(toAdapter: garbled(byte, at: line.baud), at: time) }
  }

  /// Time at which ``advance(to:)`` must be called next; `nil` if nothing happens until bytes are received.
  public var nextEvent: Duration? {
    [line.nextDelivery, nextStep].compactMap { $0 }.min()
  }

  /// Simulates everything that happens up to and including `time`.
  public mutating func advance(to time: Duration) {
    while let next = nextStep, next <= time {
      now = max(now, next)
      step()
    }
    now = max(now, time)
  }

  /// Removes and returns bytes that have reached the host. Call it until it returns an empty array.
  public mutating func removeOutput() -> [UInt8] {
    line.chunkSize = faults.holds(.split, at: now) ? 1 : model.chunkSize
    return line.deliver(at: now).map { garbled($0.byte, at: $0.baud) }
  }

  private var nextStep: Duration? {
    var times: [Duration] = []
    if let arrival = line.arriving.first { times.append(arrival.time) }
    if let step = task?.steps.first { times.append(afterHang(step.time)) }
    if let change = faults.nextChange(after: faultsPlayed) { times.append(change) }
    if let baudTrial { times.append(baudTrial.until) }
    if let sleepsAt { times.append(sleepsAt) }
    if !typed.isEmpty { times.append(lastTyped + .seconds(20)) }
    if faults.holds(.gps, at: now) { times.append(nextSentence) }
    return times.min()
  }

  /// Returns the time at which a step is executed. The fault `hang` delays it until the fault ends.
  private func afterHang(_ time: Duration) -> Duration {
    guard let hang = faults.holding(.hang, at: max(time, now)) else { return time }
    if case .during(_, let end?) = hang.window { return end }
    return .seconds(1 << 40)
  }

  /// Simulates the next event. Of several events at the same time, faults come first, then received bytes, and then the
  /// adapter's own steps.
  private mutating func step() {
    if playFaults() { return }
    if let arrival = line.arriving.first, arrival.time <= now {
      _ = line.popArrival()
      receive(arrival.byte)
      return
    }
    if let due = sleepsAt, due <= now {
      sleepsAt = nil
      task = nil
      isAsleep = true
      return
    }
    if let baudTrial, baudTrial.until <= now {
      line.baud = baudTrial.previous
      self.baudTrial = nil
      prompt()
      return
    }
    if let first = task?.steps.first, afterHang(first.time) <= now {
      task?.steps.removeFirst()
      perform(first.step)
      return
    }
    if !typed.isEmpty, lastTyped + .seconds(20) <= now {
      // If a command is not completed within 20 s, the adapter discards it.
      typed = []
      print("?")
      prompt()
    }
  }

  private mutating func perform(_ step: AdapterTask.Step) {
    switch step {
    case .text(let text): write(text)
    case .line(let text): print(text)
    case .frame(let frame): show(frame)
    case .connect(let bus):
      active = bus
      // The first request needs no further pause after the initialization, even if the adapter makes no pause between
      // requests.
      lastTraffic = now - max(.zero, bus.minimumPause - model.requestPause)
    case .send(let request): send(request)
    case .restart(let banner, let isWarm): restart(banner: banner, isWarm: isWarm)
    case .changeBaud(let baud): line.baud = baud
    case .baudTrial(let previous): beginBaudTrial(previous)
    case .finish: finish()
    case .latePrompt: endTask()
    }
  }

  /// Index of the car to which the adapter is connected now; 0 before the first car's time.
  var car: Int { cars.lastIndex { $0.from <= now } ?? 0 }

  /// Converts a time of the simulation to the time since the current car was connected. This is the time in the car's
  /// drive.
  func carTime(_ time: Duration) -> Duration { time - cars[car].from }
}
