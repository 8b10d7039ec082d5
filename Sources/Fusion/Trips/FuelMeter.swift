/// The fuel of one trip, by every way that the vehicle's readings allow, each on its own.
///
/// A way counts only where it covers nine tenths of the time that the engine ran: litres of a part are not the trip's.
struct FuelMeter: BitwiseCopyable, Equatable {
  /// PID 5E, L/h.
  var volume = RateIntegral()
  /// PID 9D, g/s of the engine.
  var mass = RateIntegral()
  /// PID A2 with engine speed and number of cylinders, g/s.
  var stroke = RateIntegral()
  /// Air by its mass (PID 10) over commanded lambda (44), g/s.
  var airCommanded = RateIntegral()
  /// The same over measured lambda.
  var airMeasured = RateIntegral()
  /// Air by pressure, temperature and engine speed (PIDs 0B, 0F, 0C) over commanded lambda, g/s.
  var densityCommanded = RateIntegral()
  /// The fuel of all that; nil: not known.
  private(set) var kind: FuelKind?
  /// It was changed on the way: no mass can be turned into litres.
  private(set) var isMixed = false

  private static let leastCoverage = 0.9

  init() {}

  /// The vehicle burns this now.
  mutating func burns(_ found: FuelKind?) {
    guard let found, found != kind else { return }
    // A hybrid that drives electrically burns nothing else for that.
    if found == .electricity { return }
    if kind != nil { isMixed = true }
    kind = found
  }

  /// Goes on from earlier.
  mutating func restore(_ kind: FuelKind?, isMixed: Bool) {
    self.kind = kind
    self.isMixed = isMixed
  }

  /// Nothing that was read before hangs together with what comes.
  mutating func breakOff() {
    volume.breakOff()
    mass.breakOff()
    stroke.breakOff()
    airCommanded.breakOff()
    airMeasured.breakOff()
    densityCommanded.breakOff()
  }

  /// Litres by the vehicle's own fuel rate; nil: none covers the trip.
  ///
  /// - Parameter running: s that the engine ran.
  func measured(running: Double) -> Double? {
    if covers(volume, running) { return volume.total / 3_600 }
    guard let density = isMixed ? nil : kind?.density else { return nil }
    if covers(mass, running) { return mass.total / density }
    if covers(stroke, running) { return stroke.total / density }
    return nil
  }

  /// Litres by the engine's air; nil: what would be needed was not read.
  ///
  /// - Parameters:
  ///   - running: s that the engine ran.
  ///   - hasSpark: whether the engine says that a spark lights its fuel (PID 01), where its fuel is not known.
  func estimated(running: Double, hasSpark: Bool) -> Double? {
    guard let kind = isMixed ? nil : kind ?? (hasSpark ? .gasoline : nil) else { return nil }
    guard let ratio = kind.stoichiometricRatio, let density = kind.density else { return nil }
    if kind.isSparkIgnited {
      for air in [airCommanded, densityCommanded] where covers(air, running) { return air.total / ratio / density }
      return nil
    }
    return covers(airMeasured, running) ? airMeasured.total / ratio / density : nil
  }

  private func covers(_ integral: RateIntegral, _ running: Double) -> Bool {
    integral.seconds > 0 && integral.seconds >= Self.leastCoverage * running
  }
}
