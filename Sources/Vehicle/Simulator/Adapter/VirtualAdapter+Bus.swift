// Requests: how the adapter sends them on the bus, and how it waits for answers.
extension VirtualAdapter {
  /// Handles a text line of hexadecimal digits. If the number of digits is odd, the last digit is the number of
  /// expected frames; 0 means that the number is not known.
  mutating func request(_ command: String) {
    var digits = command[...]
    var count: Int?
    if digits.utf8.count % 2 == 1 {
      guard model.takesCount, !faults.holds(.noSuffix, at: now), digits.utf8.count > 1,
        let last = HexDigits.number(digits.suffix(1))
      else { return answer("?") }
      count = last == 0 ? nil : Int(last)
      digits = digits.dropLast()
    }
    guard let bytes = HexDigits.bytes(digits), !bytes.isEmpty, bytes.count <= model.longestRequest else {
      return answer("?")
    }
    connect(then: PendingRequest(payload: bytes, count: count))
  }

  /// Sends a request on the active bus.
  mutating func send(_ request: PendingRequest) {
    guard let bus = active else { return finish() }
    if let message = messageInstead() {
      print(message)
      if message.hasPrefix("ERR") { restartSettings() }
      task?.steps = [.init(time: now, step: .finish)]
      return
    }
    // An ECU on a K-line ends its session after 5 s without requests or keep-alive messages, or when it loses power.
    let isUnheard = !settings.wakesUp && now - lastTraffic > .seconds(5)
    let isForgotten = bus.isKLine && (isUnheard || !isIgnitionOn(at: now))
    if isForgotten { active = nil }
    let start = bus.isKLine ? max(now, lastTraffic + model.requestPause) : now
    // During the minimum pause, ECUs need not receive a request (ISO 14230-2, section 4.4.1).
    let isEarly = start < lastTraffic + bus.minimumPause
    let requestEnd = start + bus.requestTime(bytes: bus.isCAN ? 8 : request.payload.count + 4)
    stale.removeAll { $0.time <= start }
    let fresh = isForgotten || isEarly ? [] : frames(for: request, on: bus, after: requestEnd)
    guard settings.responses else {
      task?.steps = [.init(time: requestEnd, step: .finish)]
      return
    }
    listen(fresh, request, on: bus, from: requestEnd)
  }

  private mutating func restartSettings() {
    settings = VirtualAdapterSettings(linefeeds: model.linefeeds)
    active = nil
  }

  /// Returns the message that the adapter prints instead of an answer because of a fault; `nil` if no fault is active.
  private mutating func messageInstead() -> String? {
    if let fault = faults.strike(.err, at: now) {
      return "ERR" + (fault.number < 10 ? "0" : "") + String(Int(fault.number))
    }
    let messages: [(Fault.Kind, String)] = [
      (.canError, "CAN ERROR"), (.busError, "BUS ERROR"), (.busBusy, "BUS BUSY"), (.stopped, "STOPPED"),
    ]
    for (kind, text) in messages where faults.strike(kind, at: now) != nil { return text }
    return nil
  }

  /// Returns the frames of the car's answers to a request, with the changes that faults make.
  private mutating func frames(for request: PendingRequest, on bus: Bus, after end: Duration) -> [BusFrame] {
    let index = car
    guard cars[index].car.bus == bus, isIgnitionOn(at: end) else { return [] }
    if faults.strike(.noData, at: now, where: { $0.names(request.payload) }) != nil { return [] }
    var payload = request.payload
    if !settings.formatting, bus.isCAN {
      // If formatting is off, the host itself sends the length byte.
      guard let length = payload.first, length < 8, payload.count > Int(length) else { return [] }
      payload = Array(payload[1...Int(length)])
    }
    withoutPIDs(&payload)
    let asked = BusRequest(
      header: settings.requestHeader(on: bus), extendedAddress: settings.extendedAddress, payload: payload)
    var answers = payload.count > 1 || request.payload.count == 1 ? carAnswers(asked, index, at: end) : []
    disturb(&answers, request.payload)
    let settings = self.settings
    var frames = cars[index].car.frames(answers, after: end) { settings.flowControl(to: $0, on: bus) }
    frames = multiply(frames, on: bus, at: end)
    damage(&frames, on: bus)
    return frames
  }

  private mutating func carAnswers(_ request: BusRequest, _ index: Int, at time: Duration) -> [Car.Answer] {
    let vin = cars[index].car.vin
    if let short = faults.holding(.shortVIN, at: now) { cars[index].car.vin = String(vin.prefix(Int(short.number))) }
    defer { cars[index].car.vin = vin }
    let gone = faults.allHolding(.ecuGone, at: now).map { $0.bytes.reduce(0) { $0 << 8 | UInt32($1) } }
    let ecus = cars[index].car.ecus
    return cars[index].car.answers(to: request, at: carTime(time)).filter { !gone.contains(ecus[$0.ecu].address) }
  }

  /// Applies the faults `noPID` and `noMultiPID`: an ECU does not answer PIDs that it reports as supported, or does not
  /// answer requests for several PIDs.
  private func withoutPIDs(_ payload: inout [UInt8]) {
    guard payload.first == 0x01, payload.count > 1 else { return }
    let missing = faults.allHolding(.noPID, at: now).compactMap(\.bytes.first)
    payload = [0x01] + payload.dropFirst().filter { !missing.contains($0) }
    if payload.count > 2, faults.holds(.noMultiPID, at: now) { payload = [0x01] }
  }

  /// Applies the faults `busy`, `pending` and `negative` to the answers of the ECUs.
  private mutating func disturb(_ answers: inout [Car.Answer], _ request: [UInt8]) {
    for index in answers.indices {
      let service = request[0]
      if faults.strike(.busy, at: now, where: { $0.names(request) }) != nil {
        answers[index].messages = [[0x7F, service, Refusal.busyRepeatRequest]]
      } else if let fault = faults.strike(.negative, at: now, where: { $0.names(request) }) {
        answers[index].messages = [[0x7F, service, UInt8(fault.number)]]
      } else if let fault = faults.strike(.pending, at: now, where: { $0.names(request) }) {
        var later = answers[index]
        later.delay += fault.duration
        answers[index].messages = [[0x7F, service, Refusal.responsePending]]
        answers.append(later)
      }
    }
  }

  /// Applies the fault `senders`: repeats the frames of the first ECU, as if they came from several addresses.
  private func multiply(_ frames: [BusFrame], on bus: Bus, at time: Duration) -> [BusFrame] {
    guard let fault = faults.holding(.senders, at: time), let first = frames.first?.sender else { return frames }
    let own = frames.filter { $0.sender == first }
    let many = (0..<Int(fault.number)).flatMap { number in
      own.map { frame in
        var copy = frame
        copy.sender = first + UInt32(number)
        copy.time += bus.airTime(bytes: 8) * number
        if !bus.isCAN, copy.bytes.count > 3 {
          copy.bytes[2] = UInt8(truncatingIfNeeded: copy.sender)
          let frame = Array(copy.bytes.dropLast())
          copy.bytes[copy.bytes.count - 1] = bus.isJ1850 ? LegacyFrame.crc(frame) : LegacyFrame.sum(frame)
        }
        return copy
      }
    }
    return many.sorted { ($0.time, $0.sender) < ($1.time, $1.sender) }
  }

  private mutating func damage(_ frames: inout [BusFrame], on bus: Bus) {
    var damaged: [BusFrame] = []
    for var frame in frames {
      if faults.strike(.lostFrame, at: now) != nil { continue }
      if !bus.isCAN, faults.strike(.badChecksum, at: now) != nil { frame.bytes[frame.bytes.count - 1] ^= 0x5A }
      let isConsecutive = bus.isCAN && frame.bytes[0] >> 4 == 2
      if isConsecutive, faults.strike(.badSequence, at: now) != nil {
        frame.bytes[0] = 0x20 | (frame.bytes[0] &+ 3) & 0x0F
      }
      damaged.append(frame)
      if faults.strike(.duplicate, at: now) != nil { damaged.append(frame) }
    }
    frames = damaged
  }

  /// Plans the steps of an answer: its frames are printed, and the prompt follows. The answer ends when the expected
  /// number of frames is reached or when the timeout expires.
  private mutating func listen(
    _ fresh: [BusFrame], _ request: PendingRequest, on bus: Bus, from requestEnd: Duration
  ) {
    var steps = AdapterTask()
    steps.isInterruptible = true
    var frames = fresh
    if !stale.isEmpty {
      // On a bus other than CAN, an ECU that was still sending did not receive the request. On CAN, it did.
      let speaking = Set(stale.map(\.sender))
      if !bus.isCAN { frames.removeAll { speaking.contains($0.sender) } }
      frames = (frames + stale).sorted { ($0.time, $0.sender) < ($1.time, $1.sender) }
      stale = []
    }
    let wait = patience
    var deadline = requestEnd + wait
    var previous = requestEnd
    var slowest = Duration.zero
    var shown = 0
    var remaining = frames[...]
    // A frame is in time if it begins before the timeout expires. On a K-line, a long frame takes longer than the
    // timeout.
    func begins(_ frame: BusFrame) -> Duration { frame.time - bus.airTime(bytes: frame.bytes.count) }
    while let frame = remaining.first, begins(frame) <= deadline {
      remaining.removeFirst()
      lastTraffic = max(lastTraffic, frame.time)
      guard settings.receives(frame.sender, on: bus) || faults.holds(.senders, at: now) else { continue }
      steps.add(.frame(frame), at: frame.time)
      slowest = max(slowest, begins(frame) - previous)
      previous = frame.time
      shown += 1
      deadline = frame.time + (isPending(frame, on: bus) ? max(wait, .seconds(5)) : wait)
      if shown == request.count {
        deadline = frame.time
        break
      }
    }
    stale = Array(remaining)
    if shown == 0 {
      steps.add(.line("NO DATA"), at: deadline)
      self.slowest = nil
    } else {
      // Store the longest answer time. The stored value decreases by at most 1/8 with each request.
      self.slowest = max(slowest, (self.slowest ?? slowest) * 7 / 8)
    }
    lastTraffic = max(lastTraffic, requestEnd)
    steps.add(.finish, at: deadline)
    task = steps
  }

  /// Maximum time to wait for the next frame: the timeout of `ATST`, or less if adaptive timing (`ATAT`) is on.
  private var patience: Duration {
    let most = settings.timeoutTime
    guard settings.adaptive > 0, let slowest else { return most }
    return min(most, settings.adaptive == 1 ? slowest * 2 + .milliseconds(8) : slowest * 3 / 2 + .milliseconds(4))
  }

  /// Whether a frame is the negative response 78 (pending), after which an STN chip waits longer.
  private func isPending(_ frame: BusFrame, on bus: Bus) -> Bool {
    guard model.kind == .stn else { return false }
    let data = frame.bytes.dropFirst(bus.isCAN ? 1 : 3)
    return data.count >= 3 && data.first == 0x7F && data.dropFirst(2).first == Refusal.responsePending
  }

  /// Prints a frame that was on the bus, with the changes that faults make.
  mutating func show(_ frame: BusFrame) {
    guard let bus = active else { return }
    let lines = FramePrinter(settings: settings, bus: bus).lines(frame)
    let isFull = line.backlog(at: now) > model.bufferSize || faults.strike(.bufferFull, at: now) != nil
    for text in lines {
      if isFull {
        write(String(text.prefix(text.count / 2)))
        write("\rBUFFER FULL\r")
        stale = []
        task?.steps = [.init(time: now, step: .finish)]
        return
      }
      if faults.strike(.truncate, at: now) != nil {
        print(String(text.prefix(max(1, faults.number(below: text.count)))))
      } else if faults.strike(.rxError, at: now) != nil {
        print(String(text.prefix(text.count / 2)) + " <RX ERROR")
      } else if faults.strike(.dataError, at: now) != nil {
        print(text + (settings.spaces ? "<DATA ERROR" : " <DATA ERROR"))
      } else {
        print(text)
      }
    }
  }
}
