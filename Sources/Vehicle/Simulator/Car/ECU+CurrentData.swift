/// Services 01 and 02 (SAE J1979).
extension ECU {
  /// Answers service 01: `01 0C` → `41 0C 1A F8`. On CAN, a request may have up to six PIDs. PIDs whose answers are
  /// support bitmaps must not be mixed with others.
  func currentData(_ request: [UInt8], _ view: ECUView) -> ECUAnswer {
    let asked = request.dropFirst()
    guard !asked.isEmpty, asked.count <= (view.isCAN ? 6 : 1) else {
      return .refusal(Refusal.subFunctionNotSupported)
    }
    let bitmaps = asked.count { $0 & 0x1F == 0 }
    guard bitmaps == 0 || bitmaps == asked.count else { return .refusal(Refusal.subFunctionNotSupported) }
    var message: [UInt8] = [0x41]
    for pid in asked {
      if let bytes = parameter(pid, view) { message += [pid] + bytes }
    }
    return message.count > 1 ? .message(message) : .refusal(Refusal.subFunctionNotSupported)
  }

  /// Returns the current data bytes of a PID; `nil` if this ECU does not measure it.
  func parameter(_ pid: UInt8, _ view: ECUView) -> [UInt8]? {
    if pid & 0x1F == 0 { return ECU.bitmap(pid, of: measured) }
    if let fixed = values[pid] { return fixed }
    guard pids.contains(pid) else { return nil }
    switch pid {
    case 0x01: return monitorStatus(view)
    case 0x41: return monitorsThisCycle(view)
    default: return Parameter.row(pid)?.bytes(view.state, facts(view))
    }
  }

  /// The PIDs that the ECU answers. Its support bitmaps contain exactly these.
  private var measured: Set<UInt8> {
    pids.filter { $0 == 0x01 || $0 == 0x41 || Parameter.row($0) != nil }.union(values.keys)
  }

  /// Answers service 02: `02 0C 00` → `42 0C 00 1A F8`. On CAN, a request may have up to three PIDs. A frame number
  /// follows each PID.
  func freezeFrame(_ request: [UInt8], _ view: ECUView) -> ECUAnswer {
    let asked = Array(request.dropFirst())
    guard !asked.isEmpty, asked.count % 2 == 0, asked.count <= (view.isCAN ? 6 : 2) else {
      return .refusal(Refusal.subFunctionNotSupported)
    }
    let frozen = frozenCode(view)
    var message: [UInt8] = [0x42]
    for index in stride(from: 0, to: asked.count, by: 2) where asked[index + 1] == 0 {
      if let bytes = frozenParameter(asked[index], frozen, view) { message += [asked[index], 0] + bytes }
    }
    return message.count > 1 ? .message(message) : .refusal(Refusal.subFunctionNotSupported)
  }

  /// Returns the trouble code that was stored first and therefore caused the freeze frame; `nil` if no code is stored.
  private func frozenCode(_ view: ECUView) -> TroubleCode? {
    troubleCodes.filter { $0.isStored(at: view.time, cleared: cleared) }
      .min { ($0.storedAt ?? .zero) < ($1.storedAt ?? .zero) }
  }

  private func frozenParameter(_ pid: UInt8, _ code: TroubleCode?, _ view: ECUView) -> [UInt8]? {
    // If there is no freeze frame, the data of PID 02 are zero, and other PIDs are not answered.
    guard let code, let moment = code.storedAt else { return pid == 0x02 ? [0, 0] : nil }
    if pid == 0x02 { return Array(code.bytes.prefix(2)) }
    let frozen = measured.subtracting([0x01, 0x13, 0x1C, 0x41, 0x51]).union([0x02])
    if pid & 0x1F == 0 { return ECU.bitmap(pid, of: frozen) }
    guard frozen.contains(pid) else { return nil }
    var then = view
    then.time = moment
    return parameter(pid, then)
  }

  /// Computes distances, times and counts that PIDs 21, 30, 31, 4D and 4E report, and whether the fuel is diesel (PID
  /// 51).
  private func facts(_ view: ECUView) -> VehicleFacts {
    var facts = VehicleFacts(isDiesel: view.isDiesel)
    let now = view.state
    let then = view.model.state(at: cleared ?? .zero)
    facts.clearedDistance = now.distance - then.distance
    facts.clearedMinutes = (now.engineSeconds - then.engineSeconds) / 60
    facts.clearedWarmUps = now.starts - then.starts
    if let lit = lampSince(view) {
      let state = view.model.state(at: lit)
      facts.lampDistance = now.distance - state.distance
      facts.lampMinutes = (now.engineSeconds - state.engineSeconds) / 60
    }
    return facts
  }
}
