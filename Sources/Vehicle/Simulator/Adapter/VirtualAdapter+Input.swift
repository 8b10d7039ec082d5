// Input from the host: collects characters until a command is complete.
extension VirtualAdapter {
  /// Handles one byte that has reached the adapter from the host.
  mutating func receive(_ byte: UInt8) {
    if faults.holds(.silent, at: now) || faults.holds(.unplug, at: now) || faults.holds(.gps, at: now) { return }
    if faults.holds(.echoAll, at: now) { return line.send(toHost: byte, at: now) }
    if isAsleep {
      isAsleep = false
      return begin(restartAfter: .milliseconds(50), banner: model.identity, isWarm: true)
    }
    if baudTrial != nil {
      if byte == 0x0D {
        baudTrial = nil
        print("OK")
        prompt()
      }
      return
    }
    if let task {
      if task.losesInput { return }
      if task.isInterruptible { return interrupt() }
      typeahead.append(byte)
      return
    }
    handle(byte)
  }

  private mutating func handle(_ byte: UInt8) {
    if settings.echo { echo(byte) }
    // A real chip ignores NUL and line feeds.
    if byte == 0 || byte == 0x0A { return }
    if byte != 0x0D {
      typed.append(byte)
      lastTyped = now
      if typed.count > 8192 { typed.removeFirst(4096) }
      return
    }
    var command = typed.filter { $0 > 0x20 }
    typed = []
    if command.isEmpty { command = lastCommand }
    lastCommand = command
    printed = []
    isHoldingBack = faults.strike(.replyJoined, at: now) != nil
    if faults.holds(.replyBehind, at: now) { fallBehind() }
    guard !command.isEmpty else { return prompt() }
    carryOut(String(decoding: command, as: UTF8.self).uppercased())
  }

  private mutating func echo(_ byte: UInt8) {
    guard isSpeaking else { return }
    let isDouble = faults.holds(.echoDouble, at: now) && byte != 0x0D
    let bytes = byte == 0x0D ? Array(lineEnd.utf8) : isDouble ? [byte, byte] : [byte]
    send(bytes)
  }

  /// Applies the fault `replyBehind`: prints the stored answer to the previous command now. The answer to the current
  /// command is stored until the next command.
  private mutating func fallBehind() {
    let former = heldBack
    heldBack = []
    isHoldingBack = false
    send(former)
    isHoldingBack = true
  }

  /// Interrupts a task that waits for the bus. The adapter ignores input until it has printed `STOPPED` and the prompt.
  private mutating func interrupt() {
    stale.removeAll { $0.time <= now }
    if let steps = task?.steps {
      for step in steps { if case .frame(let frame) = step.step { stale.append(frame) } }
    }
    // If a search or another line is being printed, `STOPPED` follows it without a line end, as on a real chip.
    var stopping = AdapterTask()
    stopping.losesInput = true
    write("STOPPED\r")
    stopping.add(.finish, at: max(now, line.drained))
    task = stopping
  }

  private mutating func carryOut(_ command: String) {
    if faults.strike(.unknown, at: now, where: { Self.matches(command, $0.text) }) != nil { return answer("?") }
    if command.hasPrefix("AT") { return carryOutAT(String(command.dropFirst(2))) }
    if command.hasPrefix("ST") {
      return model.kind == .stn ? carryOutST(String(command.dropFirst(2))) : answer("?")
    }
    request(command)
  }

  /// Whether a command matches a pattern. `ATSP` matches all commands that begin with it; `AT*` matches any AT command.
  private static func matches(_ command: String, _ pattern: String) -> Bool {
    let pattern = pattern.filter { $0 != " " }
    return pattern.hasSuffix("*") ? command.hasPrefix(pattern.dropLast()) : command.hasPrefix(pattern)
  }

  /// Prints an answer of one or more text lines, and then the prompt.
  mutating func answer(_ lines: String...) { answer(lines) }

  /// Prints the text lines of an answer, and then the prompt.
  mutating func answer(_ lines: [String]) {
    var task = AdapterTask()
    for line in lines { task.add(.line(line), at: now + model.processing) }
    task.add(.finish, at: now + model.processing)
    self.task = task
  }

  /// Begins a restart, which is complete after `delay`. Characters that arrive before then are lost.
  mutating func begin(restartAfter delay: Duration, banner: String, isWarm: Bool = false) {
    var task = AdapterTask()
    task.losesInput = true
    task.add(.restart(banner: banner, isWarm: isWarm), at: now + delay)
    task.add(.finish, at: now + delay)
    typed = []
    typeahead = []
    self.task = task
  }

  /// Restores the power-up settings, and prints the banner.
  ///
  /// - Parameter isWarm: whether `ATWS` causes the restart. A warm restart keeps the baud rate that `ATBRD` has set
  ///   (data sheet, AT WS).
  mutating func restart(banner: String, isWarm: Bool = false) {
    settings = VirtualAdapterSettings(linefeeds: model.linefeeds)
    active = nil
    slowest = nil
    stale = []
    isAsleep = false
    sleepsAt = nil
    printed = []
    lastCommand = []
    heldBack = []
    isHoldingBack = false
    if !isWarm, line.baud != model.baud { line.baud = model.baud }
    if let fault = faults.strike(.bannerByte, at: now) { send(fault.bytes) }
    if faults.strike(.bannerMissing, at: now) == nil { write("\r\r" + banner + "\r") }
  }
}
