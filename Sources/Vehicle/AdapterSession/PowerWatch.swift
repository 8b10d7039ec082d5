/// Decides whether requests to the vehicle are allowed: awake, asleep, or one probe. No I/O and no clock.
///
/// Its inputs are the adapter's voltage, PID 42, engine speed, speed, and whether the vehicle answers; ``decide(at:)``
/// returns what changes. Invariants:
/// - Voltage alone stops nothing. A vehicle that answers is left alone only if it reports that nothing moves, and one that
///   may drive without its engine only after a time longer than any red light.
/// - An unreliable voltage is ignored (``VoltageGauge``).
/// - A sleeping vehicle is probed once for each rise of the voltage, each interval and each return of the adapter.
struct PowerWatch: ~Copyable {
  /// Whether requests are allowed.
  enum State: BitwiseCopyable, Equatable {
    case awake, asleep
    case probing(AwakeReason)
  }

  /// What to do now.
  enum Change: BitwiseCopyable, Equatable {
    case sleep(SleepReason)
    case probe(AwakeReason)
  }

  /// Longest interval of probes if the voltage has never changed, ns: its rise may not be measured.
  private static let unprovenInterval: Int64 = 900_000_000_000
  /// Shortest interval of probes because of an adapter that restarts repeatedly, as on a failing battery, ns.
  private static let returnPause: Int64 = 300_000_000_000

  let configuration: PowerConfiguration
  private let longestGap: Int64
  private(set) var gauge: VoltageGauge
  private(set) var state = State.awake
  /// Engine speed, speed, fuel type and silence.
  var signs: SignsOfLife

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
  ///   - voltagePeriod: period of the voltage readings while awake, ns; readings much further apart are not connected.
  ///   - offset: the learned error of the adapter's voltage, V.
  ///   - hasMoved: the voltage changed in an earlier session.
  init(_ configuration: PowerConfiguration, voltagePeriod: Int64, offset: Double = 0, hasMoved: Bool = false) {
    self.configuration = configuration
    let (gap, isOverflow) = voltagePeriod.multipliedReportingOverflow(by: 3)
    longestGap = max(configuration.cutOffTime, isOverflow ? Int64.max : gap)
    gauge = VoltageGauge(configuration, offset: offset, hasMoved: hasMoved)
    signs = SignsOfLife(configuration)
  }

  /// Nothing may reach the bus.
  var isAsleep: Bool { state == .asleep }

  /// One probe is in progress.
  var isProbing: Bool { if case .probing = state { true } else { false } }

  /// Time at which ``decide(at:)`` may change something without an event.
  var deadline: Int64 {
    guard state == .asleep else { return Int64.max }
    if permit != nil { return 0 }
    let interval =
      gauge.unproven == nil ? configuration.wakeInterval : min(configuration.wakeInterval, Self.unprovenInterval)
    let (time, isOverflow) = (max(since ?? 0, lastProbe ?? 0)).addingReportingOverflow(interval)
    return isOverflow ? Int64.max : time
  }

  /// Returns what changes now; `nil` for nothing.
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

  /// The vehicle's voltage, proven or not; `nil` if unreliable.
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
    signs.answered()
    guard case .probing(let reason) = state else { return nil }
    return reason
  }

  /// Records that the probe found no vehicle. Only another rise from the present voltage allows the next one.
  mutating func probeFailed(at now: Int64) {
    guard case .probing = state else { return }
    state = .asleep
    lastProbe = now
    floor = volts
  }

  /// Records that the adapter was absent or restarted by itself.
  mutating func adapterReturned(at now: Int64) {
    guard state == .asleep else { return }
    if let lastProbe, now - lastProbe < Self.returnPause { return }
    permit = .adapterReturned
  }

  /// Allows one probe for the caller.
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
    signs.restart()
  }

  /// Discards what was learned of the adapter's voltage, for another adapter.
  mutating func forgetAdapter() { gauge = VoltageGauge(configuration, offset: 0) }

  /// Discards what was learned of the vehicle, for another one.
  mutating func forgetVehicle() { signs.forgetVehicle() }

  // MARK: Falling asleep

  /// Whether the vehicle must be asked if it moves: the cut-off voltage holds, and it answers but has not reported its
  /// motion recently.
  func wantsMotion(at now: Int64) -> Bool {
    state == .awake && lowSince != nil && !signs.isSilent && signs.isUnknown(at: now)
  }

  private func sleepReason(at now: Int64, since: Int64) -> SleepReason? {
    if hasHeld(configuration.cutOffTime, lowSince, now), signs.isStanding(since: since, at: now) { return .lowVoltage }
    guard signs.isSilent(for: configuration.silentTime, at: now) else { return nil }
    if hasHeld(configuration.silentTime, restingSince, now) { return .vehicleSilent }
    // Without a reliable voltage, only the interval wakes it again; without an interval it would sleep for ever.
    return volts == nil && configuration.wakeInterval != PowerConfiguration.never ? .vehicleSilent : nil
  }

  /// Whether a condition has held since `start` in readings without a long gap.
  private func hasHeld(_ time: Int64, _ start: Int64?, _ now: Int64) -> Bool {
    guard let start, now - lastVoltage <= longestGap else { return false }
    return now - start >= time
  }
}
