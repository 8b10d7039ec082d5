/// Whether the vehicle may be asked: awake, asleep, or one probe. No I/O, no clock.
///
/// Fed with the adapter's voltage, PID 42, engine speed, speed, and whether the vehicle answers; ``decide(at:)`` then says
/// what changes. What holds:
/// - Voltage alone stops nothing: a vehicle that answers is left only where it said itself that nothing moves, and one
///   whose engine may stand while it drives only after a time that no traffic light lasts.
/// - A voltage that cannot be relied on decides nothing (``VoltageGauge``).
/// - Asleep, the vehicle is asked once for each rise of the voltage, each interval, each return of the adapter.
struct PowerWatch: ~Copyable {
  /// Where it stands.
  enum State: BitwiseCopyable, Equatable {
    case awake, asleep
    case probing(AwakeReason)
  }

  /// What is to be done now.
  enum Change: BitwiseCopyable, Equatable {
    case sleep(SleepReason)
    case probe(AwakeReason)
  }

  /// Asleep on a voltage that was never seen to change, the vehicle is asked this often at least, ns: no rise may ever be
  /// seen.
  private static let unprovenInterval: Int64 = 900_000_000_000
  /// An adapter that starts anew again and again, on a battery that breaks down, wakes the vehicle no more often, ns.
  private static let returnPause: Int64 = 300_000_000_000

  let configuration: PowerConfiguration
  private let longestGap: Int64
  private(set) var gauge: VoltageGauge
  private(set) var state = State.awake
  /// Engine speed, speed, fuel type, silence.
  var signs: SignsOfLife

  /// When this state began; nil before the first decision.
  private var since: Int64?
  private var lastProbe: Int64?
  private var permit: AwakeReason?
  /// Lowest voltage since it fell asleep.
  private var floor: Double?

  private var lastVoltage = Int64.min
  private var lowSince: Int64?
  private var restingSince: Int64?

  /// - Parameters:
  ///   - voltagePeriod: how often the voltage is read while awake, ns: readings further apart prove nothing of between.
  ///   - offset: what was learned of the adapter's divider.
  ///   - hasMoved: its voltage was seen to change in an earlier session.
  init(_ configuration: PowerConfiguration, voltagePeriod: Int64, offset: Double = 0, hasMoved: Bool = false) {
    self.configuration = configuration
    let (gap, isOverflow) = voltagePeriod.multipliedReportingOverflow(by: 3)
    longestGap = max(configuration.cutOffTime, isOverflow ? Int64.max : gap)
    gauge = VoltageGauge(configuration, offset: offset, hasMoved: hasMoved)
    signs = SignsOfLife(configuration)
  }

  /// Nothing may reach the bus.
  var isAsleep: Bool { state == .asleep }

  /// The vehicle is asked once.
  var isProbing: Bool { if case .probing = state { true } else { false } }

  /// When ``decide(at:)`` may change something without an event.
  var deadline: Int64 {
    guard state == .asleep else { return Int64.max }
    if permit != nil { return 0 }
    let interval =
      gauge.unproven == nil ? configuration.wakeInterval : min(configuration.wakeInterval, Self.unprovenInterval)
    let (time, isOverflow) = (max(since ?? 0, lastProbe ?? 0)).addingReportingOverflow(interval)
    return isOverflow ? Int64.max : time
  }

  /// What changes now; nil: nothing.
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

  /// The vehicle's voltage, proven or not; nil: nothing to rely on.
  private var volts: Double? { gauge.volts ?? gauge.unproven }

  // MARK: Events

  /// The answer to ATRV, V; nil: it was asked and did not say.
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
    // Tenths of a volt have no exact form: 13.0 - 12.2 is a little less than 0.8.
    if let floor, volts - floor >= configuration.wakeRise - 0.001 { permit = permit ?? .voltageRise }
    floor = min(floor ?? volts, volts)
  }

  /// PID 42, V.
  mutating func controlModule(_ volts: Double, at now: Int64) { gauge.controlModule(volts, at: now) }

  /// The vehicle answered, if only to refuse.
  ///
  /// - Returns: what had allowed to ask, where it slept before.
  mutating func answered() -> AwakeReason? {
    signs.answered()
    guard case .probing(let reason) = state else { return nil }
    return reason
  }

  /// The probe found no vehicle. Only another rise, from where the voltage is now, allows the next.
  mutating func probeFailed(at now: Int64) {
    guard case .probing = state else { return }
    state = .asleep
    lastProbe = now
    floor = volts
  }

  /// The adapter was away, or started anew by itself.
  mutating func adapterReturned(at now: Int64) {
    guard state == .asleep else { return }
    if let lastProbe, now - lastProbe < Self.returnPause { return }
    permit = .adapterReturned
  }

  /// The caller wants the vehicle asked.
  mutating func request() {
    if state == .asleep { permit = .requested }
  }

  /// Awake, as if nothing were known of before.
  mutating func restart(at now: Int64) {
    state = .awake
    since = now
    permit = nil
    lowSince = nil
    restingSince = nil
    signs.restart()
  }

  /// Another adapter: what was learned of its divider does not hold.
  mutating func forgetAdapter() { gauge = VoltageGauge(configuration, offset: 0) }

  /// Another vehicle.
  mutating func forgetVehicle() { signs.forgetVehicle() }

  // MARK: Falling asleep

  /// The cut-off holds, the vehicle answers, and did not say lately whether it moves: it must be asked.
  func wantsMotion(at now: Int64) -> Bool {
    state == .awake && lowSince != nil && !signs.isSilent && signs.isUnknown(at: now)
  }

  private func sleepReason(at now: Int64, since: Int64) -> SleepReason? {
    if hasHeld(configuration.cutOffTime, lowSince, now), signs.isStanding(since: since, at: now) { return .lowVoltage }
    guard signs.isSilent(for: configuration.silentTime, at: now) else { return nil }
    if hasHeld(configuration.silentTime, restingSince, now) { return .vehicleSilent }
    // Where the voltage says nothing, only the interval wakes again; without one it would be for ever.
    return volts == nil && configuration.wakeInterval != PowerConfiguration.never ? .vehicleSilent : nil
  }

  /// All readings of the voltage since then were so, and there were some all the time.
  private func hasHeld(_ time: Int64, _ start: Int64?, _ now: Int64) -> Bool {
    guard let start, now - lastVoltage <= longestGap else { return false }
    return now - start >= time
  }
}
