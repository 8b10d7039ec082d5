/// Decides whether requests to the vehicle are allowed: always (awake), not at all (asleep), or for one probe. It has
/// no I/O and no clock.
///
/// Its inputs are the adapter's voltage, PID 42, engine speed, speed, and whether the vehicle answers. ``decide(at:)``
/// returns changes. Invariants:
/// - A low voltage alone does not stop requests. If a vehicle answers, requests stop only after it reports that nothing
///   moves. If it may drive without its engine, they stop only after a time longer than any red light.
/// - An unreliable voltage is ignored (``VoltageGauge``).
/// - A sleeping vehicle is probed once for each rise of the voltage, each interval and each restart of the adapter.
struct PowerWatch: ~Copyable {
  /// Whether requests are allowed.
  enum State: BitwiseCopyable, Equatable {
    case awake, asleep
    case probing(AwakeReason)
  }

  /// A change that ``decide(at:)`` reports.
  enum Change: BitwiseCopyable, Equatable {
    case sleep(SleepReason)
    case probe(AwakeReason)
  }

  /// Longest interval of probes if the voltage has never changed, ns. A rise might then not be detected, because the
  /// adapter may not measure it.
  private static let unprovenInterval: Int64 = 900_000_000_000
  /// Shortest interval of probes after restarts of the adapter, ns. An adapter restarts repeatedly on a failing
  /// battery.
  private static let returnPause: Int64 = 300_000_000_000

  let configuration: PowerConfiguration
  private let longestGap: Int64
  private(set) var gauge: VoltageGauge
  private(set) var state = State.awake
  /// Engine speed, speed, fuel type and unanswered requests.
  var activity: VehicleActivity

  /// Start of the state; `nil` before the first decision.
  private var since: Int64?
  private var lastProbe: Int64?
  private var permit: AwakeReason?
  /// Lowest voltage since it fell asleep.
  private var floor: Double?

  private var lastVoltage = Int64.min
  private var lowSince: Int64?
  private var restingSince: Int64?

  /// - Parameters:
  ///   - voltagePeriod: period of the voltage readings while awake, ns. Readings that are much further apart do not
  /// show that a condition held between them.
  ///   - offset: the learned error of the adapter's voltage, V.
  ///   - hasMoved: whether the voltage changed in an earlier session.
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

  /// Time at which ``decide(at:)`` may return a change without an event.
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

  /// The vehicle's voltage, even if it is unproven; `nil` if unreliable.
  private var volts: Double? { gauge.volts ?? gauge.unproven }

  // MARK: Events

  /// Records the answer to ATRV, V; `nil` if it had no voltage.
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
    // Tenths of a volt are not exact: 13.0 - 12.2 is slightly less than 0.8.
    if let floor, volts - floor >= configuration.wakeRise - 0.001 { permit = permit ?? .voltageRise }
    floor = min(floor ?? volts, volts)
  }

  /// Records PID 42, V.
  mutating func controlModule(_ volts: Double, at now: Int64) { gauge.controlModule(volts, at: now) }

  /// Records that the vehicle answered or refused.
  ///
  /// - Returns: the reason of the probe; `nil` if it was awake.
  mutating func answered() -> AwakeReason? {
    activity.answered()
    guard case .probing(let reason) = state else { return nil }
    return reason
  }

  /// Records that the probe found no vehicle. The next probe needs a further rise above the present voltage.
  mutating func probeFailed(at now: Int64) {
    guard case .probing = state else { return }
    state = .asleep
    lastProbe = now
    floor = volts
  }

  /// Records that the adapter was absent, or restarted without a command.
  mutating func adapterReturned(at now: Int64) {
    guard state == .asleep else { return }
    if let lastProbe, now - lastProbe < Self.returnPause { return }
    permit = .adapterReturned
  }

  /// Allows one probe that the caller requested.
  mutating func request() {
    if state == .asleep { permit = .requested }
  }

  /// Wakes up and discards what was recorded before.
  mutating func restart(at now: Int64) {
    state = .awake
    since = now
    permit = nil
    lowSince = nil
    restingSince = nil
    activity.restart()
  }

  /// Discards the calibration of the adapter's voltage, for another adapter.
  mutating func forgetAdapter() { gauge = VoltageGauge(configuration, offset: 0) }

  /// Discards facts about the vehicle, for another vehicle.
  mutating func forgetVehicle() { activity.forgetVehicle() }

  // MARK: Falling asleep

  /// Whether motion must be requested: the voltage is at the cut-off, and the vehicle answers but has not reported its
  /// motion recently.
  func wantsMotion(at now: Int64) -> Bool {
    state == .awake && lowSince != nil && !activity.isSilent && activity.isUnknown(at: now)
  }

  private func sleepReason(at now: Int64, since: Int64) -> SleepReason? {
    if hasHeld(configuration.cutOffTime, lowSince, now), activity.isStanding(since: since, at: now) {
      return .lowVoltage
    }
    guard activity.isSilent(for: configuration.silentTime, at: now) else { return nil }
    if hasHeld(configuration.silentTime, restingSince, now) { return .vehicleSilent }
    // Without a reliable voltage, only the interval can end the sleep; without an interval it would never end.
    return volts == nil && configuration.wakeInterval != PowerConfiguration.never ? .vehicleSilent : nil
  }

  /// Whether a condition has held since `start`, without a long gap between readings.
  private func hasHeld(_ time: Int64, _ start: Int64?, _ now: Int64) -> Bool {
    guard let start, now - lastVoltage <= longestGap else { return false }
    return now - start >= time
  }
}
