// AT and ST commands.
extension VirtualAdapter {
  /// Executes an AT command, given without `AT`.
  mutating func carryOutAT(_ command: String) {
    if model.lacks(command) { return answer("?") }
    if let text = information(command) { return answer(text) }
    if command == "PPS" { return answer(ProgrammableParameters.lines) }
    if setSwitch(command) || setValue(command) || setProtocol(command) || isAccepted(command) { return answer("OK") }
    switch command {
    case "Z":
      let late = faults.strike(.bannerLate, at: now)?.duration ?? .zero
      begin(restartAfter: model.resetTime + late, banner: model.identity)
    case "WS": begin(restartAfter: .milliseconds(30), banner: model.identity, isWarm: true)
    case "D":
      settings = VirtualAdapterSettings(linefeeds: model.linefeeds)
      active = nil
      answer("OK")
    case "LP":
      answer("OK")
      sleepsAt = now + model.processing + .milliseconds(20)
    case "MA", "MP", "MR", "MT":
      // In this mode, the adapter prints all traffic on the bus until a character arrives. The simulated bus has no
      // traffic without requests, so nothing is printed.
      var task = AdapterTask()
      task.isInterruptible = true
      self.task = task
    case _ where command.hasPrefix("BRD"):
      guard let divisor = HexDigits.number(command.dropFirst(3)), divisor > 0, divisor < 256 else {
        return answer("?")
      }
      changeBaud(4_000_000 / Int(divisor))
    default: answer("?")
    }
  }

  /// Executes an ST command, given without `ST`.
  mutating func carryOutST(_ command: String) {
    switch command {
    case "I": answer("STN1110 v4.2.0")
    case "DI": answer("OBDLink SX r2.0")
    case "MFR": answer("OBD Solutions LLC")
    case "SN": answer("110012345678")
    case "VR": answer(voltageText)
    case "PRS": answer((active ?? .can11at500).title)
    case "SLEEP":
      answer("OK")
      sleepsAt = now + model.processing + .milliseconds(20)
    case _ where command.hasPrefix("BR") && Int(command.dropFirst(2)) != nil:
      guard let baud = Int(command.dropFirst(2)), (38...10_000_000).contains(baud) else { return answer("?") }
      changeBaud(baud)
    case _ where command.hasPrefix("PTO") || command.hasPrefix("CAF") || command.hasPrefix("UIL"): answer("OK")
    default: answer("?")
    }
  }

  /// Changes the baud rate. The adapter prints `OK` at the old rate and, after the time of `ATBRT`, the identity at the
  /// new rate. Within the same time, the host must then confirm the new rate with a CR.
  private mutating func changeBaud(_ baud: Int) {
    var task = AdapterTask()
    task.losesInput = true
    let sent = now + model.processing + line.byteTime * 4
    task.add(.line("OK"), at: now + model.processing)
    task.add(.changeBaud(baud), at: sent)
    task.add(.baudTrial(previous: line.baud), at: sent + settings.baudTrial)
    self.task = task
  }

  /// Prints the identity at the new baud rate, and begins the time within which the host must confirm the rate with a
  /// CR.
  mutating func beginBaudTrial(_ previous: Int) {
    task = nil
    print(model.identity)
    baudTrial = (previous, line.drained + settings.baudTrial)
  }

  /// Returns the answer to a command that asks the adapter for information; `nil` for any other command.
  private mutating func information(_ command: String) -> String? {
    switch command {
    case "I": return model.identity
    case "@1": return model.title
    case "@2": return storedTitle ?? "?"
    case "RV": return voltageText
    case "DP": return protocolTitle
    case "DPN": return protocolDigits
    case "CS": return active?.isCAN == true ? "T:00 R:00" : "?"
    case "IGN": return isIgnitionOn(at: now) ? "ON" : "OFF"
    case "KW":
      return active == .iso9141 ? "1:08 2:08" : active?.isKWP == true ? "1:E9 2:8F" : "1:-- 2:--"
    case "BD": return "00"
    default: return nil
    }
  }

  private var voltageText: String {
    if faults.holds(.emptyVoltage, at: now) { return "0.0V" }
    let tenths = Int((cars[car].car.voltage(at: carTime(now)) * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)V"
  }

  /// Handles commands that turn a setting on or off, such as `E0`, `S1` and `H1`.
  ///
  /// - Returns: whether the command is one of these.
  private mutating func setSwitch(_ command: String) -> Bool {
    guard let last = command.last, last == "0" || last == "1" else { return false }
    let isOn = last == "1"
    switch command.dropLast() {
    case "E": settings.echo = isOn
    case "L": settings.linefeeds = isOn
    case "S": settings.spaces = isOn
    case "H": settings.headers = isOn
    case "D": settings.dataLength = isOn
    case "R": settings.responses = isOn
    case "CAF": settings.formatting = isOn
    case "CFC": settings.sendsFlowControl = isOn
    case "AT": settings.adaptive = isOn ? 1 : 0
    default: return false
    }
    return true
  }

  /// Handles commands that set a value, such as `ST32`, `SH7E0`, `CRA7E8` and `FCSD300000`.
  ///
  /// - Returns: whether the command is one of these and its argument is valid.
  private mutating func setValue(_ command: String) -> Bool {
    // Longer names come first. Otherwise `CRA` would be read as `CR` with the argument `A`.
    for name in ["FCSH", "FCSD", "FCSM", "CEA", "CRA", "BRT", "CF", "CM", "CP", "SH", "ST", "SW", "AT", "AR", "@3"]
    where command.hasPrefix(name) {
      return set(name, command.dropFirst(name.count))
    }
    return false
  }

  private mutating func set(_ name: String, _ argument: Substring) -> Bool {
    let number = HexDigits.number(argument)
    switch (name, number, argument.count) {
    case ("ST", let value?, 1...2): settings.timeout = UInt8(value)
    case ("SW", let value?, 2): settings.wakesUp = value != 0
    case ("BRT", let value?, 2): settings.baudTrial = .milliseconds(value == 0 ? 1280 : 5 * Int(value))
    case ("AT", 2?, 1): settings.adaptive = 2
    case ("AR", nil, 0): settings.filter = nil
    case ("SH", let value?, 3), ("SH", let value?, 6): settings.header = value
    case ("SH", let value?, 8) where model.kind == .stn: settings.header = value
    case ("CP", let value?, 2): settings.priority = UInt8(value)
    case ("CEA", nil, 0): settings.extendedAddress = nil
    case ("CEA", let value?, 2): settings.extendedAddress = UInt8(value)
    case ("CRA", nil, 0): settings.filter = nil
    case ("CRA", _, 3), ("CRA", _, 8): return setFilter(argument)
    case ("CF", let value?, 3), ("CF", let value?, 8):
      settings.filter = .init(mask: settings.filter?.mask ?? 0x1FFF_FFFF, value: value)
    case ("CM", let value?, 3), ("CM", let value?, 8):
      settings.filter = .init(mask: value, value: settings.filter?.value ?? 0)
    case ("FCSM", let value?, 1) where value <= 2:
      // Mode 1 requires that both flow control header and data are set. Mode 2 requires only the data.
      guard value == 0 || settings.flowData != nil, value != 1 || settings.flowHeader != nil else { return false }
      settings.flowMode = Int(value)
    case ("FCSH", let value?, 3), ("FCSH", let value?, 6), ("FCSH", let value?, 8): settings.flowHeader = value
    case ("FCSD", _, 2...10):
      guard let data = HexDigits.bytes(argument) else { return false }
      settings.flowData = data
    case ("@3", _, 1...12): storedTitle = String(argument)
    default: return false
    }
    return true
  }

  /// Sets the filter of received identifiers from a pattern such as `7E8` or `7EX`, in which X matches any digit.
  /// Returns `false` if the pattern is invalid.
  private mutating func setFilter(_ pattern: Substring) -> Bool {
    var filter = VirtualAdapterSettings.Filter(mask: 0, value: 0)
    for character in pattern.utf8 {
      let digit = HexDigits.value(of: character)
      guard digit != nil || character == UInt8(ascii: "X") else { return false }
      filter.mask = filter.mask << 4 | (digit == nil ? 0 : 0xF)
      filter.value = filter.value << 4 | UInt32(digit ?? 0)
    }
    settings.filter = filter
    return true
  }

  /// Whether the adapter answers `OK` to a command that has no effect in the simulation.
  private func isAccepted(_ command: String) -> Bool {
    let fixed = [
      "AL", "NL", "M0", "M1", "FE", "V0", "V1", "CSM0", "CSM1", "JE", "JS", "SI", "FI", "SS", "KW0", "KW1", "RTR",
      "C0", "C1", "BI", "CTM1", "CTM5",
    ]
    let open = ["IB", "IIA", "WM", "TA", "SR", "RA", "PB", "PP", "CV", "AMC", "AMT"]
    return fixed.contains(command) || open.contains { command.hasPrefix($0) }
  }
}
