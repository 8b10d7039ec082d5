/// A PID of service 01: the number of its data bytes, and a function that encodes its value.
///
/// The formulas are written from SAE J1979-DA, independently of the decoder. Otherwise, tests could not find an error
/// that is the same in both.
struct Parameter: Sendable {
  var pid: UInt8
  var length: Int
  var encode: @Sendable (DriveState, VehicleFacts) -> UInt32

  init(_ pid: UInt8, _ length: Int, _ encode: @escaping @Sendable (DriveState, VehicleFacts) -> UInt32) {
    self.pid = pid
    self.length = length
    self.encode = encode
  }

  /// Returns the data bytes of the PID, the most significant one first.
  func bytes(_ state: DriveState, _ facts: VehicleFacts) -> [UInt8] {
    let value = encode(state, facts)
    return (0..<length).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * (length - 1 - $0))) }
  }

  /// Returns the definition of a PID; `nil` if no simulated ECU measures it.
  static func row(_ pid: UInt8) -> Parameter? { rows.first { $0.pid == pid } }
}

/// Properties of the car, and values counted since its codes were cleared or while the MIL was on.
struct VehicleFacts: Sendable {
  var isDiesel = false
  /// OBD standard (PID 1C).
  var standard: UInt8 = 6
  /// Distance since the codes were cleared, km.
  var clearedDistance = 0.0
  /// Time for which the engine has run since the codes were cleared, min.
  var clearedMinutes = 0.0
  /// Number of warm-ups since the codes were cleared.
  var clearedWarmUps = 0
  /// Distance while the MIL was on, km.
  var lampDistance = 0.0
  /// Time for which the engine has run while the MIL was on, min.
  var lampMinutes = 0.0
}

/// Encodes a value as an unsigned number of 8, 16 or 32 bits, in units of `step` above `zero`. A value outside the
/// range becomes the nearest value of the range.
private func count(_ value: Double, step: Double, zero: Double = 0, bits: Double = 8) -> UInt32 {
  let limit = bits == 8 ? 255.0 : bits == 16 ? 65_535.0 : 4_294_967_295.0
  return UInt32(min(max(((value - zero) / step).rounded(), 0), limit))
}

private func percent(_ value: Double) -> UInt32 { count(value, step: 100.0 / 255) }
private func trim(_ value: Double) -> UInt32 { count(value, step: 100.0 / 128, zero: -100) }
private func celsius(_ value: Double) -> UInt32 { count(value, step: 1, zero: -40) }
private func word(_ value: Double, step: Double = 1) -> UInt32 { count(value, step: step, bits: 16) }

extension Parameter {
  /// The definitions of all PIDs except 01, 41 and the support bitmaps. ``ECU`` itself computes the values of these
  /// exceptions.
  static let rows: [Parameter] = [
    Parameter(0x03, 2) { state, _ in state.isRunning ? (state.coolant < 50 ? 0x0100 : 0x0200) : 0 },
    Parameter(0x04, 1) { state, _ in percent(state.load) },
    Parameter(0x05, 1) { state, _ in celsius(state.coolant) },
    Parameter(0x06, 1) { state, _ in trim(state.shortTrim) },
    Parameter(0x07, 1) { state, _ in trim(state.longTrim) },
    Parameter(0x0A, 1) { state, _ in count(state.isRunning ? 378 : 0, step: 3) },
    Parameter(0x0B, 1) { state, _ in count(state.manifold, step: 1) },
    Parameter(0x0C, 2) { state, _ in word(state.rpm, step: 0.25) },
    Parameter(0x0D, 1) { state, _ in count(state.speed, step: 1) },
    Parameter(0x0E, 1) { state, _ in count(state.timing, step: 0.5, zero: -64) },
    Parameter(0x0F, 1) { state, _ in celsius(state.intakeAir) },
    Parameter(0x10, 2) { state, _ in word(state.airFlow, step: 0.01) },
    Parameter(0x11, 1) { state, _ in percent(state.throttle) },
    Parameter(0x13, 1) { _, _ in 0b0000_0011 },
    Parameter(0x14, 2) { state, _ in count(state.sensor1, step: 0.005) << 8 | trim(state.shortTrim) },
    Parameter(0x15, 2) { state, _ in count(state.sensor2, step: 0.005) << 8 | 0xFF },
    Parameter(0x1C, 1) { _, facts in UInt32(facts.standard) },
    Parameter(0x1F, 2) { state, _ in word(state.runSeconds) },
    Parameter(0x21, 2) { _, facts in word(facts.lampDistance) },
    Parameter(0x23, 2) { state, _ in word(state.isRunning ? 32_000 + state.load * 900 : 300, step: 10) },
    Parameter(0x24, 4) { state, _ in
      count(state.lambda, step: 2.0 / 65_536, bits: 16) << 16 | count(state.sensor1, step: 8.0 / 65_536, bits: 16)
    },
    Parameter(0x2C, 1) { state, _ in percent(state.isRunning ? 10 : 0) },
    Parameter(0x2E, 1) { state, _ in percent(state.isRunning ? 12 : 0) },
    Parameter(0x2F, 1) { state, _ in percent(state.fuelLevel) },
    Parameter(0x30, 1) { _, facts in UInt32(min(facts.clearedWarmUps, 255)) },
    Parameter(0x31, 2) { _, facts in word(facts.clearedDistance) },
    Parameter(0x33, 1) { state, _ in count(state.barometer, step: 1) },
    Parameter(0x34, 4) { state, _ in
      count(state.lambda, step: 2.0 / 65_536, bits: 16) << 16 | count(0, step: 1.0 / 256, zero: -128, bits: 16)
    },
    Parameter(0x3C, 2) { state, _ in count(state.catalyst, step: 0.1, zero: -40, bits: 16) },
    Parameter(0x42, 2) { state, _ in word(state.voltage, step: 0.001) },
    Parameter(0x43, 2) { state, _ in word(state.load, step: 100.0 / 255) },
    Parameter(0x44, 2) { state, _ in count(state.lambda, step: 2.0 / 65_536, bits: 16) },
    Parameter(0x45, 1) { state, _ in percent(max(0, state.throttle - 12.5)) },
    Parameter(0x46, 1) { state, _ in celsius(state.ambient) },
    Parameter(0x47, 1) { state, _ in percent(state.throttle) },
    Parameter(0x49, 1) { state, _ in percent(15 + state.pedal * 0.7) },
    Parameter(0x4A, 1) { state, _ in percent(7.5 + state.pedal * 0.35) },
    Parameter(0x4C, 1) { state, _ in percent(state.throttle) },
    Parameter(0x4D, 2) { _, facts in word(facts.lampMinutes) },
    Parameter(0x4E, 2) { _, facts in word(facts.clearedMinutes) },
    Parameter(0x51, 1) { _, facts in facts.isDiesel ? 4 : 1 },
    Parameter(0x5A, 1) { state, _ in percent(state.pedal) },
    Parameter(0x5B, 1) { _, _ in percent(61) },
    Parameter(0x5C, 1) { state, _ in celsius(state.oil) },
    Parameter(0x5E, 2) { state, _ in word(state.fuelRate, step: 0.05) },
    Parameter(0x61, 1) { state, _ in count(state.pedal, step: 1, zero: -125) },
    Parameter(0x62, 1) { state, _ in count(state.load, step: 1, zero: -125) },
    Parameter(0x63, 2) { _, _ in 240 },
    Parameter(0x67, 3) { state, _ in 0b01 << 16 | celsius(state.coolant) << 8 },
    Parameter(0xA6, 4) { state, _ in count(state.odometer, step: 0.1, bits: 32) },
  ]
}

/// The kinds of ECUs. The kind determines which PIDs an ECU measures by default.
enum ECURole: String, CaseIterable, Sendable {
  case engine, diesel, transmission, battery, body

  var pids: [UInt8] {
    switch self {
    case .engine:
      [
        0x01, 0x03, 0x04, 0x05, 0x06, 0x07, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F, 0x10, 0x11, 0x13, 0x14, 0x15, 0x1C, 0x1F,
        0x21, 0x2E, 0x2F, 0x30, 0x31, 0x33, 0x3C, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x49, 0x4A, 0x4C, 0x4D,
        0x4E, 0x51, 0x5C, 0x5E, 0x67, 0xA6,
      ]
    case .diesel:
      [
        0x01, 0x04, 0x05, 0x0B, 0x0C, 0x0D, 0x0F, 0x10, 0x11, 0x1C, 0x1F, 0x21, 0x23, 0x24, 0x2C, 0x2F, 0x30, 0x31,
        0x33, 0x41, 0x42, 0x46, 0x49, 0x4A, 0x4C, 0x4D, 0x4E, 0x51, 0x5C, 0x5E, 0x61, 0x62, 0x63, 0xA6,
      ]
    case .transmission: [0x01, 0x04, 0x05, 0x0C, 0x0D, 0x11, 0x1C, 0x1F, 0x21, 0x30, 0x31, 0x42]
    case .battery: [0x01, 0x0D, 0x1C, 0x42, 0x5B]
    case .body: [0x01, 0x0D, 0x1C, 0x2F, 0x42, 0x46]
    }
  }

  /// The ECU's default name (service 09, information type 0A).
  var title: String {
    switch self {
    case .engine, .diesel: "ECM-EngineControl"
    case .transmission: "TCM-TransmisCtrl"
    case .battery: "BECM-BatteryCtrl"
    case .body: "BCM-BodyControl"
    }
  }
}
