/// Decides whether requests to the vehicle are allowed: always (the vehicle is awake), never (it is asleep), or only
/// for one probe. It has no I/O and no clock.
///
/// Its inputs are the adapter's voltage, the control module's voltage (PID 42), engine speed, vehicle speed, and
/// whether the vehicle answers. ``decide(at:)`` returns each change. Invariants:
/// - A low voltage alone does not stop requests. While a vehicle answers, requests stop only after it has reported that
///   neither it nor its engine moves. If it may drive without its engine, they stop only after a time longer than any
///   red light.
/// - An unreliable voltage is ignored (``VoltageGauge``).
/// - A sleeping vehicle is probed only once after each rise of the voltage, each interval and each restart of the
///   adapter.
struct PowerWatch: ~Copyable {
  /// Whether requests are allowed: always, never, or only for one probe, with the reason for this probe.
  enum State: BitwiseCopyable, Equatable {
    case awake, asleep
    case probing(AwakeReason)
  }

  /// A change of the state that ``decide(at:)`` returns.
  enum Change: BitwiseCopyable, Equatable {
    case sleep(SleepReason)
    case probe(AwakeReason)
  }

  /// Maximum time between two probes if the adapter's voltage has never changed, ns. Such an adapter perhaps does not
  /// measure the voltage, and a rise would not be detected.
  private static let unprovenInterval: Int64 = 900_000_000_000
  /// Minimum time between two probes that follow restarts of the adapter, ns. If the battery is failing, an adapter
  /// restarts repeatedly.
  private static let returnPause: Int64 = 300_000_000_000

  let configuration: PowerConfiguration
  private let longestGap: Int64
  private(set) var gauge: VoltageGauge
  private(set) var state = State.awake
  /// The vehicle's reports about motion and its fuel type, and since when it has not answered.
  var activity: VehicleActivity

  /// Time at which the current state began; `nil` before the first decision.
  private var since: Int64?
  private var lastProbe: Int64?
  private var permit: AwakeReason?
  /// Lowest voltage since the vehicle fell asleep, V; `nil` if none was read.
  private var floor: Double?

  private var lastVoltage = Int64.min
  private var lowSince: Int64?
  private var restingSince: Int64?

  /// Creates a watch for one adapter and its vehicle.
  ///
  /// - Parameters:
  ///   - voltagePeriod: period of the voltage readings while the vehicle is awake, ns. If the time between two readings
  ///     is more than three times as long, that time does not count for any condition.
  ///   - offset: the control module's voltage minus the adapter's, as learned in an earlier session, V.
  ///   - hasMoved: whether the adapter's voltage changed in an earlier session.
  init(_ configuration: PowerConfiguration, voltagePeriod: Int64, offset: Double = 0, hasMoved: Bool = false) {
    self.configuration = configuration
    let (gap, isOverflow) = voltagePeriod.multipliedReportingOverflow(by: 3)
    longestGap = max(configuration.cutOffTime, isOverflow ? Int64.max : gap)
    gauge = VoltageGauge(configuration, offset: offset, hasMoved: hasMoved)
    activity = VehicleActivity(configuration)
  }

  /// Whether nothing may be sent on the bus.
  var isAsleep: Bool { state == .asleep }

  /// Whether a probe is in progress.
  var isProbing: Bool { if case .probing = state { true } else { false } }

  /// Time at which ``decide(at:)`` may return a probe although no event was recorded; `Int64.max` while the vehicle is
  /// awake or being probed.
  var deadline: Int64 {
    guard state == .asleep else { return Int64.max }
    if permit != nil { return 0 }
    let interval =
      gauge.unproven == nil ? configuration.wakeInterval : min(configuration.wakeInterval, Self.unprovenInterval)
    let (time, isOverflow) = (max(since ?? 0, lastProbe ?? 0)).addingReportingOverflow(interval)
    return isOverflow ? Int64.max : time
  }

  /// Returns a change that applies now; `nil` if there is none.
  mutating func decide(at now: Int64) -> Change? {
    guard configuration.isEnabled else { return nil }
    guard let since else {
      self.since = now
      return nil
    }
    switch state {
    case .awake:
      guard let reason = sleepReason(at: now, since: since) else { return nil }
      state = .asleep
      self.since = now
      permit = nil
      floor = volts
      return .sleep(reason)
    case .asleep:
      let isDue = now >= deadline
      guard let reason = permit ?? (isDue ? .interval : nil) else { return nil }
      permit = nil
      lastProbe = now
      state = .probing(reason)
      return .probe(reason)
    case .probing: return nil
    }
  }

  /// The vehicle's voltage according to the adapter, V, even if the adapter perhaps does not measure it; `nil` if
  /// unreliable.
  private var volts: Double? { gauge.volts ?? gauge.unproven }

  // MARK: Events

  /// Stores the voltage in an answer to ATRV, V; `nil` if the answer had no voltage.
  mutating func voltage(_ answer: Double?, at now: Int64) {
    gauge.adapter(answer, at: now)
    if lastVoltage == Int64.min || now - lastVoltage > longestGap {
      lowSince = nil
      restingSince = nil
    }
    lastVoltage = now
    guard let volts else {
      lowSince = nil
      restingSince = nil
      return
    }
    lowSince = volts <= configuration.cutOffVoltage ? lowSince ?? now : nil
    restingSince = volts < configuration.restingVoltage ? restingSince ?? now : nil
    guard state == .asleep else { return }
    // Tenths of a volt are not exact in binary: 13.0 - 12.2 is slightly less than 0.8.
    if let floor, volts - floor >= configuration.wakeRise - 0.001 { permit = permit ?? .voltageRise }
    floor = min(floor ?? volts, volts)
  }

  /// Stores the control module's voltage (PID 42), V.
  mutating func controlModule(_ volts: Double, at now: Int64) { gauge.controlModule(volts, at: now) }

  /// Handles an answer or a refusal of the vehicle.
  ///
  /// - Returns: the reason of the probe in progress; `nil` if there is none.
  mutating func answered() -> AwakeReason? {
    activity.answered()
    guard case .probing(let reason) = state else { return nil }
    return reason
  }

  /// Ends a probe that found no vehicle. From now on, a rise of the voltage is measured from the current voltage.
  mutating func probeFailed(at now: Int64) {
    guard case .probing = state else { return }
    state = .asleep
    lastProbe = now
    floor = volts
  }

  /// Handles the return of the adapter: it is connected again, or has restarted by itself. If the last probe is long
  /// enough ago, this allows a probe.
  mutating func adapterReturned(at now: Int64) {
    guard state == .asleep else { return }
    if let lastProbe, now - lastProbe < Self.returnPause { return }
    permit = .adapterReturned
  }

  /// Allows one probe of a sleeping vehicle, because the caller requested it.
  mutating func request() {
    if state == .asleep { permit = .requested }
  }

  /// Changes to the state `awake`, and discards the recorded times and reports.
  mutating func restart(at now: Int64) {
    state = .awake
    since = now
    permit = nil
    lowSince = nil
    restingSince = nil
    activity.restart()
  }

  /// Discards what was learned about the adapter's voltage, because the adapter is a different one.
  mutating func forgetAdapter() { gauge = VoltageGauge(configuration, offset: 0) }

  /// Discards facts about the vehicle, because the vehicle is a different one.
  mutating func forgetVehicle() { activity.forgetVehicle() }

  // MARK: Falling asleep

  /// Whether to request engine speed and vehicle speed. They are requested if the voltage is at or below
  /// ``PowerConfiguration/cutOffVoltage``, and the vehicle answers but has reported neither of them recently.
  func wantsMotion(at now: Int64) -> Bool {
    state == .awake && lowSince != nil && !activity.isSilent && activity.isUnknown(at: now)
  }

  private func sleepReason(at now: Int64, since: Int64) -> SleepReason? {
    if hasHeld(configuration.cutOffTime, lowSince, now), activity.isStanding(since: since, at: now) {
      return .lowVoltage
    }
    guard activity.isSilent(for: configuration.silentTime, at: now) else { return nil }
    if hasHeld(configuration.silentTime, restingSince, now) { return .vehicleSilent }
    // Without a reliable voltage, only a probe at the configured interval can end the sleep. Without such an interval,
    // the vehicle would sleep for ever.
    return volts == nil && configuration.wakeInterval != PowerConfiguration.never ? .vehicleSilent : nil
  }

  /// Whether a condition that began at `start` has held for `time` (ns), and the voltage was read recently enough.
  private func hasHeld(_ time: Int64, _ start: Int64?, _ now: Int64) -> Bool {
    guard let start, now - lastVoltage <= longestGap else { return false }
    return now - start >= time
  }
}
