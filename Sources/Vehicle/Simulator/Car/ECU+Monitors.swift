/// Readiness monitors: PIDs 01 and 41 (SAE J1979-DA), and services 05 and 06.
extension ECU {
  /// The monitors of engines with spark ignition: for each, its bit in byte C, and the time in seconds for which the
  /// engine must run until the monitor is complete.
  private static let spark: [(bit: UInt8, seconds: Double)] = [(0, 180), (2, 420), (5, 120), (6, 60), (7, 300)]
  /// The monitors of engines with compression ignition: for each, its bit in byte C, and the time in seconds for which
  /// the engine must run until the monitor is complete.
  private static let compression: [(bit: UInt8, seconds: Double)] = [(0, 240), (1, 300), (3, 90), (5, 120), (7, 200)]

  /// Returns the data of PID 01: MIL, number of stored codes, and the state of the monitors since the codes were
  /// cleared.
  func monitorStatus(_ view: ECUView) -> [UInt8] {
    let lamp: UInt8 = lampSince(view) == nil ? 0 : 0x80
    // If the codes were never cleared, all monitors are complete. After clearing, the engine must run again.
    let since = cleared.map { view.state.engineSeconds - view.model.state(at: $0).engineSeconds }
    return [lamp | UInt8(min(stored(view).count, 127))] + monitors(view, after: since ?? .infinity)
  }

  /// Returns the data of PID 41: the state of the monitors in this drive cycle. Byte A is reserved.
  func monitorsThisCycle(_ view: ECUView) -> [UInt8] { [0] + monitors(view, after: view.state.runSeconds) }

  /// Whether this ECU controls the engine and measures its intake air.
  var watchesEngine: Bool { pids.contains(0x0C) && (pids.contains(0x10) || pids.contains(0x0B)) }

  private func monitors(_ view: ECUView, after seconds: Double) -> [UInt8] {
    // ECUs that do not control the engine report only the component monitor.
    guard watchesEngine else { return [0x04, 0, 0] }
    var supported: UInt8 = 0
    var incomplete: UInt8 = 0
    for monitor in view.isDiesel ? Self.compression : Self.spark {
      supported |= 1 << monitor.bit
      if seconds < monitor.seconds { incomplete |= 1 << monitor.bit }
    }
    // Bits 0 to 2 are the monitors of misfire, fuel system and components; bit 3 means compression ignition. Only the
    // misfire monitor takes time to complete.
    let continuous: UInt8 = (seconds < 30 ? 0x10 : 0) | 0x07 | (view.isDiesel ? 0x08 : 0)
    return [continuous, supported, incomplete]
  }

  /// Answers service 06. On CAN: `06 01` → `46 01 TID UASID value minimum maximum …`. On other buses, each test has two
  /// messages, one for its maximum and one for its minimum.
  func testResults(_ request: [UInt8], _ view: ECUView) -> ECUAnswer {
    guard request.count == 2, !tests.isEmpty else { return .refusal(Refusal.subFunctionNotSupported) }
    let asked = request[1]
    if asked & 0x1F == 0 {
      let identifiers = tests.map { view.isCAN ? $0.monitor : $0.test }
      guard let bitmap = ECU.bitmap(asked, of: identifiers) else { return .refusal(Refusal.subFunctionNotSupported) }
      return .message([0x46, asked] + (view.isCAN ? [] : [0xFF]) + bitmap)
    }
    let found = tests.filter { asked == (view.isCAN ? $0.monitor : $0.test) }
    guard !found.isEmpty else { return .refusal(Refusal.subFunctionNotSupported) }
    if view.isCAN {
      return .message(found.reduce(into: [0x46]) { $0 += $1.record })
    }
    return .messages(found.flatMap(\.legacyMessages))
  }

  /// Answers service 05: `05 01 01` → `45 01 01 5A`. The results are thresholds of the oxygen sensor upstream of the
  /// catalyst.
  func oxygenSensorTests(_ request: [UInt8]) -> ECUAnswer {
    guard request.count == 3, request[2] == 1 else { return .refusal(Refusal.subFunctionNotSupported) }
    switch request[1] {
    case 0x00: return .message([0x45, 0x00, 0x01, 0xF0, 0, 0, 0])
    case 0x01...0x04: return .message([0x45, request[1], 0x01, [90, 90, 60, 120][Int(request[1]) - 1]])
    default: return .refusal(Refusal.subFunctionNotSupported)
    }
  }

  /// Returns the two bytes of a 16-bit number, high byte first.
  static func bytes(_ word: UInt16) -> [UInt8] { [UInt8(word >> 8), UInt8(word & 0xFF)] }
}

extension ECU.MonitorTest {
  /// The nine bytes that report this result in a CAN message.
  fileprivate var record: [UInt8] {
    [monitor, test, unit] + ECU.bytes(value) + ECU.bytes(minimum) + ECU.bytes(maximum)
  }

  /// The messages that report this test on buses before CAN: one for its maximum, one for its minimum. Bit 7 of the
  /// component ID marks the minimum.
  fileprivate var legacyMessages: [[UInt8]] {
    let most: [UInt8] = [0x46, test, monitor & 0x7F]
    let least: [UInt8] = [0x46, test, monitor | 0x80]
    return [most + ECU.bytes(value) + ECU.bytes(maximum), least + ECU.bytes(value) + ECU.bytes(minimum)]
  }
}
