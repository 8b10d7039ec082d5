/// A virtual ELM327 connected to a virtual car. Bytes with times go in, bytes with times come out. It does no I/O and
/// reads no clock; the same calls always give the same bytes.
///
/// Call order: ``receive(_:at:)`` with the bytes of the host; ``advance(to:)`` no later than ``nextEvent``; then
/// ``takeOutput()`` until it returns nothing. Times must not decrease.
///
///     var adapter = VirtualAdapter(Scenario.standard)
///     adapter.receive(Array("ATZ\r".utf8), at: .zero)
///     while let time = adapter.nextEvent, time < .seconds(2) {
///       adapter.advance(to: time)
///       print(time, adapter.takeOutput())
///     }
public struct VirtualAdapter: ~Copyable {
  let model: AdapterModel
  var cars: [Scenario.CarEntry]
  var faults: FaultPlan
  var line: SerialLine
  var settings: VirtualAdapterSettings

  /// The current time of the simulation.
  var now = Duration.zero
  /// Characters of the incomplete command.
  var typed: [UInt8] = []
  var lastTyped = Duration.zero
  /// The last complete command; an empty command repeats it.
  var lastCommand: [UInt8] = []
  var task: AdapterTask?
  /// Characters received during a command that cannot be interrupted.
  var typeahead: [UInt8] = []
  /// The active bus; `nil` if it has to be searched or initialized.
  var active: Bus?
  /// End of the last frame on the bus.
  var lastTraffic = Duration.seconds(-3600)
  /// Frames that arrive after the adapter stopped waiting.
  var stale: [BusFrame] = []
  /// The slowest recent answer, for adaptive timing; `nil` if there is none.
  var slowest: Duration?
  /// Output of the current command, for faults that repeat it.
  var printed: [UInt8] = []
  /// Answers delayed until the next one, and whether the current one is delayed.
  var heldBack: [UInt8] = []
  var isHoldingBack = false
  /// Messages to print when the adapter becomes idle.
  var alerts: [String] = []
  var isAsleep = false
  /// Time at which it falls asleep; `nil` if it does not.
  var sleepsAt: Duration?
  /// Previous baud rate, restored if the host does not confirm `ATBRD` by this time.
  var baudTrial: (previous: Int, until: Duration)?
  /// Time up to which spontaneous faults were simulated.
  var faultsPlayed = Duration.nanoseconds(-1)
  var nextSentence = Duration.zero
  var wasPlugged = true
  /// Text stored by `AT@3`.
  var storedTitle: String?
  /// Baud rate of the host, if the port knows it (a pseudo terminal does); `nil` if it always matches.
  public var hostBaud: Int?

  /// Creates an adapter after power-up, at time zero.
  ///
  /// - Parameters:
  ///   - scenario: adapter, cars and faults.
  ///   - more: additional faults.
  public init(_ scenario: Scenario, faults more: [Fault] = []) {
    model = scenario.adapter
    cars = scenario.cars
    faults = FaultPlan(scenario.faults + more, seed: scenario.seed)
    line = SerialLine(baud: model.baud, chunkTime: model.chunkTime, chunkSize: model.chunkSize)
    settings = VirtualAdapterSettings(linefeeds: model.linefeeds)
  }

  /// The current baud rate, which `ATBRD` changes.
  public var baud: Int { line.baud }

  /// Whether ``hostBaud`` has an effect.
  var isStrictAboutBaud: Bool { model.isStrictAboutBaud }

  /// Whether the adapter is plugged in; `false` during the fault `unplug`, when the port must be closed.
  public var isPlugged: Bool { !faults.holds(.unplug, at: now) }

  /// Receives bytes from the host. They reach the adapter one by one at the baud rate.
  public mutating func receive(_ bytes: some Sequence<UInt8>, at time: Duration) {
    advance(to: time)
    for byte in bytes { line.send(toAdapter: garbled(byte, at: line.baud), at: time) }
  }

  /// Time at which ``advance(to:)`` has work to do; `nil` for never, unless bytes are received.
  public var nextEvent: Duration? {
    [line.nextDelivery, nextStep].compactMap { $0 }.min()
  }

  /// Simulates everything up to a time.
  public mutating func advance(to time: Duration) {
    while let next = nextStep, next <= time {
      now = max(now, next)
      step()
    }
    now = max(now, time)
  }

  /// Removes and returns the bytes that have reached the host; empty if there are none. Call it until it returns
  /// nothing.
  public mutating func takeOutput() -> [UInt8] {
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

  /// Delays a step to the end of the fault `hang`.
  private func afterHang(_ time: Duration) -> Duration {
    guard let hang = faults.holding(.hang, at: max(time, now)) else { return time }
    if case .during(_, let end?) = hang.window { return end }
    return .seconds(1 << 40)
  }

  /// Simulates the earliest event. At the same time, faults come before received bytes, and those before the adapter's
  /// own steps.
  private mutating func step() {
    if playFaults() { return }
    if let arrival = line.arriving.first, arrival.time <= now {
      _ = line.takeArrival()
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
      // The adapter abandons an incomplete command after 20 s.
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
      // Even an adapter without a pause between requests has waited after the initialization.
      lastTraffic = now - max(.zero, bus.minimumPause - model.requestPause)
    case .send(let request): send(request)
    case .restart(let banner, let isWarm): restart(banner: banner, isWarm: isWarm)
    case .changeBaud(let baud): line.baud = baud
    case .baudTrial(let previous): beginBaudTrial(previous)
    case .finish: finish()
    case .latePrompt: endTask()
    }
  }

  /// Index of the car that is present now.
  var car: Int { cars.lastIndex { $0.from <= now } ?? 0 }

  /// Converts a time to that of the current car's drive.
  func carTime(_ time: Duration) -> Duration { time - cars[car].from }
}
