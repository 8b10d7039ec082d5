/// What the adapter says of the voltage (ATRV), as far as it can be relied on.
///
///     11.9V        a cheap divider, 0.6 V short: PID 42 says 12.5 at the same time
///
/// Nothing is decided by a voltage that is missing, 0.0, unchanged while PID 42 moved, or further from PID 42 than any
/// divider is wrong. One that was never seen to change may be made up: it counts as ``unproven``. Voltages come out as those of a 12 V system: of 24 V, half.
struct VoltageGauge: BitwiseCopyable {
  /// What lies below is no supply: the adapter itself would not run.
  private static let least = 3.0
  private static let most = 40.0
  /// Both were read within it: one moment's voltage, ns.
  private static let pairing: Int64 = 3_000_000_000
  /// So many readings in a row tell a system of 24 V, or that adapter and vehicle disagree.
  private static let witnesses = 3

  private let configuration: PowerConfiguration
  /// What is added to the adapter's voltage, V.
  private(set) var offset: Double
  private var isCalibrated: Bool
  /// The last reading; nil: missing or impossible.
  private var reading: Double?
  private var readAt = Int64.min
  /// Two different readings were seen, now or in an earlier session: it is measured, not made up.
  private(set) var hasMoved: Bool
  /// It stood still while PID 42 moved.
  private var isFrozen = false
  private var disagreements = 0
  private var heavyReadings = 0
  private(set) var isHeavy = false
  // PID 42.
  private var module: Double?
  private var moduleAt = Int64.min
  /// Lowest and highest of it, at the adapter's readings since those changed.
  private var lowest = Double.infinity
  private var highest = -Double.infinity

  /// - Parameters:
  ///   - offset: as learned earlier with the same adapter; 0: nothing.
  ///   - hasMoved: the same adapter's voltage was seen to change earlier.
  init(_ configuration: PowerConfiguration, offset: Double, hasMoved: Bool = false) {
    self.configuration = configuration
    self.offset = offset
    self.hasMoved = hasMoved
    isCalibrated = offset != 0
  }

  /// The vehicle's voltage as of a 12 V system; nil: nothing to rely on.
  var volts: Double? {
    hasMoved ? corrected : nil
  }

  /// The same while it was never seen to change; nil: proven, or nothing to rely on.
  var unproven: Double? { hasMoved || isFrozen ? nil : corrected }

  private var corrected: Double? {
    guard let reading, disagreements < Self.witnesses else { return nil }
    return (reading + offset) / scale
  }

  private var scale: Double { isHeavy ? 2 : 1 }

  /// The answer to ATRV, V; nil: none.
  mutating func adapter(_ answer: Double?, at now: Int64) {
    guard let answer, answer >= Self.least, answer <= Self.most else {
      reading = nil
      return
    }
    weigh(answer)
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
    // The vehicle's voltage went where the adapter's did not follow.
    if highest - lowest >= configuration.wakeRise * scale {
      hasMoved = false
      isFrozen = true
    }
  }

  /// PID 42, V.
  mutating func controlModule(_ volts: Double, at now: Int64) {
    guard volts >= Self.least, volts <= Self.most else { return }
    module = volts
    moduleAt = now
    compare(at: now)
  }

  private mutating func weigh(_ answer: Double) {
    guard (answer > configuration.heavySystemVoltage) != isHeavy else {
      heavyReadings = 0
      return
    }
    // A truck that is cranked falls below 18 V for a moment; only what no battery of 24 V has is another vehicle.
    if isHeavy, answer > configuration.restingVoltage * 1.2 { return }
    heavyReadings += 1
    guard heavyReadings >= Self.witnesses else { return }
    isHeavy.toggle()
    heavyReadings = 0
  }

  /// Learns from two readings of one moment.
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
