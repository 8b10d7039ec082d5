import Telemetry

/// The monitors in the last answer of an ECU to PID 01 or 41, and the monitors that were last reported.
struct MonitorState {
  /// The bits that the answer contained. Bit n stands for the value at bit position n.
  private var present: UInt32 = 0
  private var values: UInt32 = 0
  /// Position in the adapter's byte stream at which the answer ended. A bit with another position belongs to another
  /// answer.
  private var position: UInt64 = .max
  private var reported: (present: UInt32, values: UInt32)?
  /// Whether and when the monitors are reported again although they have not changed.
  var repetition = ECUState.Repetition.none

  /// The bits that are compared with the last report: bits 9 to 15 (monitors of byte B, ignition type) and bytes C and
  /// D. They show which monitors exist and which of them are complete.
  private static let relevant: UInt32 = 0xFFFF_FE00

  /// Stores one bit of an answer. If `position` differs from that of the previous bit, a new answer begins.
  mutating func receive(bit: UInt8, value: Bool, position: UInt64) {
    if position != self.position {
      self.position = position
      present = 0
      values = 0
      if repetition == .afterAnswer { repetition = .now }
    }
    let mask: UInt32 = 1 << UInt32(bit & 31)
    present |= mask
    if value { values |= mask }
  }

  /// Whether the monitors must be reported: a compared bit has changed since the last report, or they must be repeated
  /// now.
  var needsReport: Bool {
    guard present & Self.relevant != 0 else { return false }
    if repetition == .now { return true }
    guard let reported else { return true }
    return reported.present != present & Self.relevant || reported.values != values & Self.relevant
  }

  /// Marks the current bits as reported.
  mutating func setReported() {
    reported = (present & Self.relevant, values & Self.relevant)
    repetition = .none
  }

  /// The value at a bit position; `nil` if the answer did not contain it.
  subscript(bit: UInt8) -> Bool? {
    present >> UInt32(bit & 31) & 1 == 1 ? values >> UInt32(bit & 31) & 1 == 1 : nil
  }

  /// The ignition type; `nil` if unknown.
  var ignition: MonitorsRecord.Ignition? { self[12].map { $0 ? .compression : .spark } }

  /// Returns the complete and the incomplete monitors. Monitors that the ECU does not have are in neither list.
  ///
  /// PID 41 does not report which monitors exist. If a monitor is complete but not enabled in this cycle, it is listed
  /// as complete only if PID 01 of the same ECU reports that it exists.
  func lists(supportedBy other: MonitorState?) -> (complete: [StaticString], incomplete: [StaticString]) {
    var complete: [StaticString] = []
    var incomplete: [StaticString] = []
    for monitor in Monitor.all {
      guard let name = monitor.name(ignition), let ready = self[monitor.readyBit] else { continue }
      if !ready {
        incomplete.append(name)
      } else if self[monitor.supportBit] == true || other?[monitor.supportBit] == true {
        complete.append(name)
      }
    }
    return (complete, incomplete)
  }
}

/// An on-board monitor in PIDs 01 and 41 (SAE J1979-DA). The meaning of bytes C and D depends on the ignition type.
struct Monitor {
  /// Position of the bit that is set if the monitor exists (PID 01) or is enabled (PID 41).
  let supportBit: UInt8
  /// Position of the bit that shows whether the monitor is complete.
  let readyBit: UInt8
  let spark: StaticString?
  let compression: StaticString?

  /// The monitor's name for an ignition type; `nil` if the monitor does not exist for that type.
  func name(_ ignition: MonitorsRecord.Ignition?) -> StaticString? {
    switch ignition {
    case .spark: spark
    case .compression: compression
    case nil: nil
    }
  }

  private init(_ supportBit: UInt8, _ readyBit: UInt8, spark: StaticString?, compression: StaticString?) {
    self.supportBit = supportBit
    self.readyBit = readyBit
    self.spark = spark
    self.compression = compression
  }

  /// All monitors, in ascending order of their bits. The name of a monitor is the name of its signal without
  /// `MonitoringReady`.
  static let all: [Monitor] = [
    Monitor(15, 11, spark: "misfire", compression: "misfire"),
    Monitor(14, 10, spark: "fuelSystem", compression: "fuelSystem"),
    Monitor(13, 9, spark: "comprehensiveComponent", compression: "comprehensiveComponent"),
    Monitor(23, 31, spark: "catalyst", compression: "nmhcCatalyst"),
    Monitor(22, 30, spark: "heatedCatalyst", compression: "noxScrAftertreatment"),
    Monitor(21, 29, spark: "evaporativeSystem", compression: nil),
    Monitor(20, 28, spark: "secondaryAirSystem", compression: "boostPressureSystem"),
    Monitor(19, 27, spark: "acSystemRefrigerant", compression: nil),
    Monitor(18, 26, spark: "oxygenSensor", compression: "exhaustGasSensor"),
    Monitor(17, 25, spark: "oxygenSensorHeater", compression: "pmFilter"),
    Monitor(16, 24, spark: "egrAndOrVvtSystem", compression: "egrAndOrVvtSystem"),
  ]
}
