/// Measures the fuel consumption of a trip by several methods, each with its own total. A method can be used if the
/// vehicle reports the values that the method needs.
///
/// A total is valid only if it covers at least 90 % of the time during which the engine ran.
struct FuelMeter: BitwiseCopyable, Equatable {
  /// Engine fuel rate (PID 5E), L/h.
  var volume = RateIntegral()
  /// Engine fuel mass rate (PID 9D), g/s.
  var mass = RateIntegral()
  /// Cylinder fuel rate (PID A2), converted to g/s with the engine speed and the number of cylinders.
  var stroke = RateIntegral()
  /// Mass air flow (PID 10) divided by commanded lambda (PID 44), g/s.
  var airCommanded = RateIntegral()
  /// Mass air flow divided by measured lambda, g/s.
  var airMeasured = RateIntegral()
  /// Air flow calculated from pressure, temperature and engine speed (PIDs 0B, 0F, 0C), divided by commanded lambda,
  /// g/s.
  var densityCommanded = RateIntegral()
  /// The kind of fuel; `nil` if unknown.
  private(set) var kind: FuelKind?
  /// Whether the fuel changed during the trip. If `true`, mass is not converted to litres.
  private(set) var isMixed = false

  private static let leastCoverage = 0.9

  init() {}

  /// Sets the fuel in use; `nil` is ignored.
  mutating func setFuel(_ found: FuelKind?) {
    guard let found, found != kind else { return }
    // While a hybrid vehicle drives electrically, the fuel of its engine stays the same.
    if found == .electricity { return }
    if kind != nil { isMixed = true }
    kind = found
  }

  /// Restores the fuel that an earlier session stored.
  mutating func restore(_ kind: FuelKind?, isMixed: Bool) {
    self.kind = kind
    self.isMixed = isMixed
  }

  /// Excludes the time until the next reading from all totals.
  mutating func interrupt() {
    volume.interrupt()
    mass.interrupt()
    stroke.interrupt()
    airCommanded.interrupt()
    airMeasured.interrupt()
    densityCommanded.interrupt()
  }

  /// Returns the fuel consumption according to the fuel rates that the vehicle reports, L; `nil` if none of these rates
  /// covers enough of the trip.
  ///
  /// - Parameter running: time during which the engine ran, s.
  func measured(running: Double) -> Double? {
    if covers(volume, running) { return volume.total / 3_600 }
    guard let density = isMixed ? nil : kind?.density else { return nil }
    if covers(mass, running) { return mass.total / density }
    if covers(stroke, running) { return stroke.total / density }
    return nil
  }

  /// Returns the fuel consumption estimated from the engine's air flow, L; `nil` if the necessary readings or facts are
  /// missing.
  ///
  /// - Parameters:
  ///   - running: time during which the engine ran, s.
  ///   - hasSpark: whether the engine has spark ignition (PID 01). If `true`, petrol is assumed if the fuel is unknown.
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
