/// A virtual ELM327 with a car behind it: bytes and time in, bytes with their times out. It does no I/O and knows no
/// clock; the same calls give the same bytes.
///
/// Call order: ``receive(_:at:)`` with what the host wrote; ``advance(to:)`` no later than ``nextEvent`` says;
/// ``takeOutput()`` after it, until it gives no more. Times never go back.
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
  var settings: AdapterSettings

  /// The moment that is being played.
  var now = Duration.zero
  /// What has been typed of the command under way.
  var typed: [UInt8] = []
  var lastTyped = Duration.zero
  /// The last whole command: an empty one repeats it.
  var lastCommand: [UInt8] = []
  var task: AdapterTask?
  /// Typed while a command was carried out that nothing interrupts.
  var typeahead: [UInt8] = []
  /// The bus that answers; nil: to be searched or initialised.
  var active: Bus?
  /// End of the last frame on the bus.
  var lastTraffic = Duration.seconds(-3600)
  /// Frames that the adapter did not wait for and that are still to come.
  var stale: [BusFrame] = []
  /// The slowest answer seen lately, for adaptive timing.
  var slowest: Duration?
  /// What this command has printed, for faults that print it again.
  var printed: [UInt8] = []
  /// Answers that wait for the next one, and whether this one does.
  var heldBack: [UInt8] = []
  var isHoldingBack = false
  /// Printed as soon as the adapter is idle.
  var alerts: [String] = []
  var isAsleep = false
  /// When it goes to sleep.
  var sleepsAt: Duration?
  /// The rate to return to when the host does not follow `ATBRD`, and when.
  var baudTrial: (previous: Int, until: Duration)?
  /// Up to where faults that happen by themselves have happened.
  var faultsPlayed = Duration.nanoseconds(-1)
  var nextSentence = Duration.zero
  var wasPlugged = true
  /// `AT@3`.
  var storedTitle: String?
  /// The host's baud rate where the port knows it (a pty does); nil: the right one.
  public var hostBaud: Int?

  /// - Parameters:
  ///   - scenario: adapter, cars, faults.
  ///   - faults: more of them.
  public init(_ scenario: Scenario, faults more: [Fault] = []) {
    model = scenario.adapter
    cars = scenario.cars
    faults = FaultPlan(scenario.faults + more, seed: scenario.seed)
    line = SerialLine(baud: model.baud, chunkTime: model.chunkTime, chunkSize: model.chunkSize)
    settings = AdapterSettings(linefeeds: model.linefeeds)
  }

  /// Bits a second of the wire now: `ATBRD` changes it.
  public var baud: Int { line.baud }

  /// Whether ``hostBaud`` matters.
  var isStrictAboutBaud: Bool { model.isStrictAboutBaud }

  /// False while the fault `unplug` holds: the port is to be closed.
  public var isPlugged: Bool { !faults.holds(.unplug, at: now) }

  /// The host has written `bytes`; they reach the adapter one by one, as fast as the wire allows.
  public mutating func receive(_ bytes: some Sequence<UInt8>, at time: Duration) {
    advance(to: time)
    for byte in bytes { line.send(toAdapter: garbled(byte, at: line.baud), at: time) }
  }

  /// When ``advance(to:)`` has something to do next; nil: never, unless bytes come.
  public var nextEvent: Duration? {
    [line.nextDelivery, nextStep].compactMap { $0 }.min()
  }

  /// Plays everything up to `time`.
  public mutating func advance(to time: Duration) {
    while let next = nextStep, next <= time {
      now = max(now, next)
      step()
    }
    now = max(now, time)
  }

  /// The next piece that has reached the host by now; empty: nothing has. Call it until it is empty.
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

  /// A hanging adapter goes on where it was when the fault is over.
  private func afterHang(_ time: Duration) -> Duration {
    guard let hang = faults.holding(.hang, at: max(time, now)) else { return time }
    if case .during(_, let end?) = hang.window { return end }
    return .seconds(1 << 40)
  }

  /// One event: the earliest. Faults come before bytes, bytes before what the adapter does.
  private mutating func step() {
    if playFaults() { return }
    if let arrival = line.arriving.first, arrival.time <= now {
      _ = line.takeArrival()
      hear(arrival.byte)
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
      // An unfinished command is given up after 20 s.
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
      // Who keeps no pause of its own between requests has waited at least behind its init.
      lastTraffic = now - max(.zero, bus.minimumPause - model.requestPause)
    case .send(let request): send(request)
    case .restart(let banner, let isWarm): restart(banner: banner, isWarm: isWarm)
    case .changeBaud(let baud): line.baud = baud
    case .baudTrial(let previous): beginBaudTrial(previous)
    case .finish: finish()
    case .latePrompt: endTask()
    }
  }

  /// The car that stands there now.
  var car: Int { cars.lastIndex { $0.from <= now } ?? 0 }

  /// The time of a car's own drive.
  func carTime(_ time: Duration) -> Duration { time - cars[car].from }
}
