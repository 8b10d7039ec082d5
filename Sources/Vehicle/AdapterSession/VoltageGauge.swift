/// The voltage that the adapter reports (ATRV), and whether it is reliable.
///
///     11.9V        a cheap divider, 0.6 V too low: PID 42 is 12.5 at the same time
///
/// A voltage is ignored if it is missing, 0.0, unchanged while PID 42 changed, or too far from PID 42. A voltage that
/// has never changed may not be measured at all; it is ``unproven``. Voltages apply to a 12 V system; those of a 24 V
/// system are halved.
struct VoltageGauge: BitwiseCopyable {
  /// Lowest plausible voltage: below it, the adapter itself would not work.
  private static let least = 3.0
  private static let most = 40.0
  /// A voltage of the adapter and a PID 42 within this time are compared, ns.
  private static let pairing: Int64 = 3_000_000_000
  /// Number of readings in a row that proves a 24 V system, or a difference between adapter and vehicle.
  private static let witnesses = 3

  private let configuration: PowerConfiguration
  /// Correction that is added to the adapter's voltage, V.
  private(set) var offset: Double
  private var isCalibrated: Bool
  /// The last reading; `nil` if missing or implausible.
  private var reading: Double?
  private var readAt = Int64.min
  /// Whether the voltage has changed, in this session or an earlier one. This proves that it is measured.
  private(set) var hasMoved: Bool
  /// Whether the voltage did not change while PID 42 did.
  private var isFrozen = false
  private var disagreements = 0
  private var heavyReadings = 0
  private(set) var isHeavy = false
  // PID 42.
  private var module: Double?
  private var moduleAt = Int64.min
  /// Lowest and highest PID 42 since the adapter's voltage last changed.
  private var lowest = Double.infinity
  private var highest = -Double.infinity

  /// - Parameters:
  ///   - offset: correction that was learned with the same adapter; 0 if unknown.
  ///   - hasMoved: whether the same adapter's voltage changed in an earlier session.
  init(_ configuration: PowerConfiguration, offset: Double, hasMoved: Bool = false) {
    self.configuration = configuration
    self.offset = offset
    self.hasMoved = hasMoved
    isCalibrated = offset != 0
  }

  /// The vehicle's voltage, converted to that of a 12 V system; `nil` if unreliable.
  var volts: Double? {
    hasMoved ? corrected : nil
  }

  /// The same for a voltage that has never changed; `nil` if proven or unreliable.
  var unproven: Double? { hasMoved || isFrozen ? nil : corrected }

  private var corrected: Double? {
    guard let reading, disagreements < Self.witnesses else { return nil }
    return (reading + offset) / scale
  }

  private var scale: Double { isHeavy ? 2 : 1 }

  /// Records the answer to ATRV, V; `nil` if it had no voltage.
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
    // The adapter's voltage did not follow the vehicle's.
    if highest - lowest >= configuration.wakeRise * scale {
      hasMoved = false
      isFrozen = true
    }
  }

  /// Records PID 42, V.
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
    // While a truck's engine is cranked, its voltage can fall below 18 V for a moment, but no 24 V battery falls this
    // low.
    if isHeavy, answer > configuration.restingVoltage * 1.2 { return }
    heavyReadings += 1
    guard heavyReadings >= Self.witnesses else { return }
    isHeavy.toggle()
    heavyReadings = 0
  }

  /// Updates the correction from two readings that are close in time.
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
