import Telemetry

/// The bits of PID 01 or 41 that one ECU sent last, and those that were reported last.
struct MonitorState {
  /// Bit n: the value at bit n of the answer was read.
  private var present: UInt32 = 0
  private var values: UInt32 = 0
  /// Where in the byte stream the answer ended: tells one answer from the next.
  private var position: UInt64 = .max
  private var reported: (present: UInt32, values: UInt32)?

  /// The bits that decide which monitors there are and have run: byte B's upper bits, the ignition, bytes C and D.
  private static let relevant: UInt32 = 0xFFFF_FE00

  mutating func receive(bit: UInt8, value: Bool, position: UInt64) {
    if position != self.position {
      self.position = position
      present = 0
      values = 0
    }
    let mask: UInt32 = 1 << UInt32(bit & 31)
    present |= mask
    if value { values |= mask }
  }

  var isNews: Bool {
    guard present & Self.relevant != 0 else { return false }
    guard let reported else { return true }
    return reported.present != present & Self.relevant || reported.values != values & Self.relevant
  }

  mutating func setReported() { reported = (present & Self.relevant, values & Self.relevant) }

  /// Whether the answer held a value at this bit, and whether it was 1 (or ready).
  subscript(bit: UInt8) -> Bool? {
    present >> UInt32(bit & 31) & 1 == 1 ? values >> UInt32(bit & 31) & 1 == 1 : nil
  }

  var ignition: MonitorsRecord.Ignition? { self[12].map { $0 ? .compression : .spark } }

  /// Which monitors have run and which have not; those that the ECU does not have are in neither list.
  ///
  /// PID 41 gives no support bits: a monitor that is not enabled in this cycle and is not incomplete does not exist,
  /// unless PID 01 of the same ECU says that it does.
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

/// One on-board monitor of PIDs 01 and 41 (SAE J1979-DA): bytes C and D mean different ones by ignition.
struct Monitor {
  /// Bit that is set where the monitor exists (01) or is enabled (41).
  let supportBit: UInt8
  /// Bit of its completion.
  let readyBit: UInt8
  let spark: StaticString?
  let compression: StaticString?

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

  /// In the order of their bits from the lowest; the names are those of the signals, without `MonitoringReady`.
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
