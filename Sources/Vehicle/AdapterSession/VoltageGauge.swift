/// The voltage that the adapter reports (ATRV), with its correction, and whether it is reliable. For example, a cheap
/// voltage divider may measure 0.6 V too little:
///
/// 11.9V        ATRV; PID 42 is 12.5 V at the same time
///
/// A voltage is ignored if it is missing, 0.0, unchanged while PID 42 changed, or too far from PID 42. If the voltage
/// has never changed, the adapter perhaps does not measure it; it is then ``unproven``. All results apply to a 12 V
/// system: voltages of a 24 V system are halved.
struct VoltageGauge: BitwiseCopyable {
  /// Lowest plausible voltage, V. Below this voltage, the adapter itself would not work.
  private static let least = 3.0
  /// Highest plausible voltage, V.
  private static let most = 40.0
  /// The adapter's voltage and PID 42 are compared only if the time between their readings is at most this long, ns.
  private static let pairing: Int64 = 3_000_000_000
  /// If this many readings in a row indicate another system voltage (24 V instead of 12 V, or the reverse), the
  /// indicated system voltage is used. If this many readings in a row differ too much from PID 42, the adapter's
  /// voltage counts as unreliable.
  private static let witnesses = 3

  private let configuration: PowerConfiguration
  /// Correction that is added to the adapter's voltage, V: the value of PID 42 minus the adapter's reading.
  private(set) var offset: Double
  private var isCalibrated: Bool
  /// The adapter's last reading, V; `nil` if it was missing or implausible.
  private var reading: Double?
  private var readAt = Int64.min
  /// Whether the adapter's voltage has ever changed, in this session or an earlier one. A change proves that the
  /// adapter measures the voltage.
  private(set) var hasMoved: Bool
  /// Whether the adapter's voltage did not change while PID 42 did.
  private var isFrozen = false
  private var disagreements = 0
  private var heavyReadings = 0
  private(set) var isHeavy = false
  // The control module's voltage (PID 42), V, and the time at which it was read.
  private var module: Double?
  private var moduleAt = Int64.min
  /// Lowest value of PID 42 since the adapter's voltage last changed, V.
  private var lowest = Double.infinity
  /// Highest value of PID 42 since the adapter's voltage last changed, V.
  private var highest = -Double.infinity

  /// Creates a gauge for an adapter.
  ///
  /// - Parameters:
  ///   - offset: correction that was learned with the same adapter, V; 0 if unknown.
  ///   - hasMoved: whether the same adapter's voltage changed in an earlier session.
  init(_ configuration: PowerConfiguration, offset: Double, hasMoved: Bool = false) {
    self.configuration = configuration
    self.offset = offset
    self.hasMoved = hasMoved
    isCalibrated = offset != 0
  }

  /// The vehicle's voltage, corrected and converted to a 12 V system; `nil` if the adapter's voltage is unreliable or
  /// has never changed.
  var volts: Double? {
    hasMoved ? corrected : nil
  }

  /// The vehicle's voltage, corrected and converted, from an adapter whose voltage has never changed; `nil` if it has
  /// changed or is unreliable. Such an adapter perhaps does not measure the voltage.
  var unproven: Double? { hasMoved || isFrozen ? nil : corrected }

  private var corrected: Double? {
    guard let reading, disagreements < Self.witnesses else { return nil }
    return (reading + offset) / scale
  }

  private var scale: Double { isHeavy ? 2 : 1 }

  /// Stores the voltage in an answer to ATRV, V; `nil` if the answer had no voltage.
  mutating func adapter(_ answer: Double?, at now: Int64) {
    guard let answer, answer >= Self.least, answer <= Self.most else {
      reading = nil
      return
    }
    detectSystemVoltage(answer)
    if let reading, reading != answer {
      hasMoved = true
      isFrozen = false
      lowest = .infinity
      highest = -.infinity
    }
    reading = answer
    readAt = now
    compare(at: now)
    guard let module, now - moduleAt <= Self.pairing else { return }
    lowest = min(lowest, module)
    highest = max(highest, module)
    // The vehicle's voltage (PID 42) changed, and the adapter's did not.
    if highest - lowest >= configuration.wakeRise * scale {
      hasMoved = false
      isFrozen = true
    }
  }

  /// Stores the control module's voltage (PID 42), V.
  mutating func controlModule(_ volts: Double, at now: Int64) {
    guard volts >= Self.least, volts <= Self.most else { return }
    module = volts
    moduleAt = now
    compare(at: now)
  }

  /// Detects whether the system has 12 V or 24 V.
  private mutating func detectSystemVoltage(_ answer: Double) {
    guard (answer > configuration.heavySystemVoltage) != isHeavy else {
      heavyReadings = 0
      return
    }
    // While a truck's engine is cranked, its voltage can fall below 18 V for a moment, which does not prove a 12 V
    // system. Therefore only voltages to which no 24 V battery falls are counted.
    if isHeavy, answer > configuration.restingVoltage * 1.2 { return }
    heavyReadings += 1
    guard heavyReadings >= Self.witnesses else { return }
    isHeavy.toggle()
    heavyReadings = 0
  }

  /// Updates the correction if the adapter's voltage and PID 42 were read at almost the same time.
  private mutating func compare(at now: Int64) {
    guard let reading, let module, now - readAt <= Self.pairing, now - moduleAt <= Self.pairing else { return }
    let difference = module - reading
    guard abs(difference) <= configuration.calibrationLimit * scale else {
      disagreements = min(disagreements + 1, Self.witnesses)
      return
    }
    disagreements = 0
    offset = isCalibrated ? offset + (difference - offset) / 4 : difference
    isCalibrated = true
  }
}
