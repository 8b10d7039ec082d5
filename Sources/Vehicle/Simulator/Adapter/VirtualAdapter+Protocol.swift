// Selection of the bus: `ATSP`, the automatic search, and initialization.
extension VirtualAdapter {
  /// Handles `SP6` (use protocol 6), `SP0` (search), `SPA6` (search, beginning with 6), `TP…` (the same as `SP…`) and
  /// `PC` (close).
  ///
  /// - Returns: whether the command is one of these and its protocol is known.
  mutating func setProtocol(_ command: String) -> Bool {
    if command == "PC" {
      active = nil
      return true
    }
    guard command.hasPrefix("SP") || command.hasPrefix("TP") else { return false }
    let digits = command.dropFirst(2)
    guard (1...2).contains(digits.count), let value = HexDigits.number(digits) else { return false }
    let isAutomatic = digits.count == 2 && (digits.first == "A" || digits.first == "0" || digits.last == "A")
    let digit = digits.count == 2 && digits.last == "A" && digits.first != "A" ? value >> 4 : value & 0xF
    if digit == 0 {
      settings.selection = .automatic(nil)
    } else {
      guard let bus = Bus(rawValue: UInt8(digit)) else { return false }
      guard digits.count == 1 || isAutomatic else { return false }
      settings.selection = isAutomatic ? .automatic(bus) : .fixed(bus)
    }
    active = nil
    slowest = nil
    return true
  }

  /// The adapter's answer to `ATDP`.
  var protocolTitle: String {
    switch settings.selection {
    case .fixed(let bus): bus.title
    case .automatic(let first): (active ?? first).map { "AUTO, " + $0.title } ?? "AUTO"
    }
  }

  /// The adapter's answer to `ATDPN`.
  var protocolDigits: String {
    if faults.holds(.protocolZero, at: now) { return "0" }
    return switch settings.selection {
    case .fixed(let bus): bus.digit
    case .automatic(let first): "A" + ((active ?? first)?.digit ?? "0")
    }
  }

  /// Whether the current car's ignition is on.
  func isIgnitionOn(at time: Duration) -> Bool {
    !faults.holds(.ignitionOff, at: time) && cars[car].car.isAwake(at: carTime(time))
  }

  /// The buses in the order in which the adapter searches them; CAN comes first.
  private static let order: [Bus] = [
    .can11at500, .can11at250, .can29at500, .can29at250, .j1850pwm, .j1850vpw, .kwpFast, .iso9141, .kwpSlow,
  ]

  /// Returns the time that the adapter needs to find out whether a vehicle answers on a bus.
  private static func trial(_ bus: Bus, answers: Bool) -> Duration {
    switch bus {
    case .kwpFast: answers ? .milliseconds(450) : .milliseconds(600)
    // Initialization at 5 baud: the address has 10 bits of 200 ms each, and key bytes follow.
    case .iso9141, .kwpSlow: answers ? .milliseconds(2500) : .milliseconds(2700)
    default: answers ? .milliseconds(120) : .milliseconds(220)
    }
  }

  /// Whether the current car answers 0100 on a bus.
  private func answers(on bus: Bus, at time: Duration, isSearch: Bool) -> Bool {
    let car = cars[self.car].car
    return car.bus == bus && isIgnitionOn(at: time) && !(isSearch && (car.speaksUDS || bus == .j1939))
  }

  /// Plans the steps that are needed to send a request: a search for the bus or an initialization, if necessary, and
  /// then the request.
  mutating func connect(then request: PendingRequest) {
    var task = AdapterTask()
    task.isInterruptible = true
    let start = now + model.processing
    defer { self.task = task }
    guard active == nil else { return task.add(.send(request), at: start) }
    switch settings.selection {
    case .fixed(let bus) where bus.isKLine: initialise(bus, &task, start, request)
    case .fixed(let bus):
      task.add(.connect(bus), at: start)
      task.add(.send(request), at: start)
    case .automatic(let first): search(first, &task, start, request)
    }
  }

  private mutating func initialise(
    _ bus: Bus, _ task: inout AdapterTask, _ start: Duration, _ request: PendingRequest
  ) {
    let isError = faults.strike(.busInitError, at: now) != nil
    task.add(.text(bus == .kwpFast ? "BUS INIT: " : "BUS INIT: ..."), at: start)
    let works = !isError && answers(on: bus, at: start, isSearch: false)
    let end = start + Self.trial(bus, answers: works)
    task.add(.line(works ? "OK" : "ERROR"), at: end)
    if works {
      task.add(.connect(bus), at: end)
      task.add(.send(request), at: end)
    } else {
      task.add(.finish, at: end)
    }
  }

  private mutating func search(
    _ first: Bus?, _ task: inout AdapterTask, _ start: Duration, _ request: PendingRequest
  ) {
    task.add(.text("SEARCHING..."), at: start)
    var time = start
    if let fault = faults.strike(.searching, at: now) { time += fault.duration }
    if faults.strike(.unableToConnect, at: now) == nil {
      let rest = Self.order.filter { $0 != first }
      for bus in (first.map { [$0] } ?? []) + rest {
        let works = answers(on: bus, at: time, isSearch: true)
        time += Self.trial(bus, answers: works)
        guard works else { continue }
        task.add(.text("\r"), at: time)
        task.add(.connect(bus), at: time)
        return task.add(.send(request), at: time)
      }
    } else {
      time += .seconds(1)
    }
    task.add(.text("\r"), at: time)
    task.add(.line("UNABLE TO CONNECT"), at: time)
    task.add(.finish, at: time)
  }
}
