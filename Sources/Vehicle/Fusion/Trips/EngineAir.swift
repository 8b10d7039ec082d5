/// The newest readings that are needed to estimate fuel consumption, and the calculation of the engine's air flow.
struct EngineAir: BitwiseCopyable {
  /// A reading with its time.
  struct Timed: BitwiseCopyable {
    var value = 0.0
    var time: Int64 = .min

    /// Returns the value if it is at most `age` ns old; otherwise `nil`.
    func value(at time: Int64, within age: Int64) -> Double? {
      self.time != .min && time - self.time <= age ? value : nil
    }
  }

  /// Engine speed, rpm.
  var engineSpeed = Timed()
  /// Lambda that the ECU commands (PID 44).
  var commandedLambda = Timed()
  /// Lambda that a wide-range sensor upstream of the catalyst measures.
  var measuredLambda = Timed()
  /// Intake air temperature, °C.
  var intakeTemperature = Timed()

  /// Specific gas constant of dry air, J/(kg K), from R = 8.314463 J/(mol K) and 28.9647 g/mol (US Standard Atmosphere
  /// 1976).
  private static let gasConstant = 287.05

  /// Calculates the air flow of a four-stroke engine, g/s, from pressure, temperature and engine speed.
  ///
  /// - Parameters:
  ///   - pressure: absolute manifold pressure, kPa.
  ///   - temperature: intake air temperature, °C.
  ///   - rpm: engine speed, rpm.
  ///   - volume: displacement times volumetric efficiency, L.
  static func flow(pressure: Double, temperature: Double, rpm: Double, volume: Double) -> Double {
    // kPa × L = J. Each cylinder is filled once in two revolutions, and a minute has 60 s.
    pressure * volume / (gasConstant * (temperature + 273.15)) * rpm / 120 * 1_000
  }
}

extension TripWatch {
  /// A commanded lambda of at least this value means that the injection is cut off, because a spark cannot ignite such
  /// a mixture.
  private static let fuelCutLambda = 1.95
  /// A measured lambda of at least this value is ignored. It may be the end of a wide-range sensor's scale, which is 2
  /// unless PID 4F states another value.
  private static let scaleEnd = 1.99

  /// Adds an engine fuel rate (PID 5E), L/h.
  public mutating func fuelRate(_ litresPerHour: Double, at time: Int64) {
    guard let rate = flow(litresPerHour, at: time) else { return }
    trip.fuel.volume.add(rate, at: time, longestGap: options.longestGap)
  }

  /// Adds the engine's fuel mass rate (PID 9D), g/s.
  public mutating func fuelMassRate(_ gramsPerSecond: Double, at time: Int64) {
    guard let rate = flow(gramsPerSecond, at: time) else { return }
    trip.fuel.mass.add(rate, at: time, longestGap: options.longestGap)
  }

  /// Adds a cylinder fuel rate (PID A2), mg for each intake stroke of one cylinder.
  public mutating func cylinderFuelRate(_ milligrams: Double, at time: Int64) {
    guard let milligrams = flow(milligrams, at: time), let cylinders = options.cylinders,
      let rpm = air.engineSpeed.value(at: time, within: options.longestGap)
    else { return }
    let rate = milligrams / 1_000 * Double(cylinders) * rpm / 120
    trip.fuel.stroke.add(rate, at: time, longestGap: options.longestGap)
  }

  /// Adds a mass air flow (PID 10), g/s.
  public mutating func massAirFlow(_ gramsPerSecond: Double, at time: Int64) {
    guard let flow = flow(gramsPerSecond, at: time) else { return }
    if let share = commandedShare(at: time) {
      trip.fuel.airCommanded.add(flow * share, at: time, longestGap: options.longestGap)
    }
    if let lambda = air.measuredLambda.value(at: time, within: options.longestGap), lambda < Self.scaleEnd {
      trip.fuel.airMeasured.add(flow / lambda, at: time, longestGap: options.longestGap)
    } else {
      trip.fuel.airMeasured.interrupt()
    }
  }

  /// Adds a manifold pressure (PID 0B), kPa.
  public mutating func manifoldPressure(_ kilopascals: Double, at time: Int64) {
    guard let pressure = flow(kilopascals, at: time), let displacement = options.displacement,
      let efficiency = options.volumetricEfficiency, let share = commandedShare(at: time),
      let rpm = air.engineSpeed.value(at: time, within: options.longestGap),
      let temperature = air.intakeTemperature.value(at: time, within: Self.temperatureAge)
    else { return }
    let flow = EngineAir.flow(
      pressure: pressure, temperature: temperature, rpm: rpm, volume: displacement * efficiency)
    trip.fuel.densityCommanded.add(flow * share, at: time, longestGap: options.longestGap)
  }

  /// Maximum age of the intake air temperature, ns. A long time is allowed because the temperature changes slowly.
  private static let temperatureAge: Int64 = 60_000_000_000

  /// Adds an intake air temperature (PID 0F), °C.
  public mutating func intakeTemperature(_ celsius: Double, at time: Int64) {
    if celsius.isFinite, celsius > -60 { air.intakeTemperature = EngineAir.Timed(value: celsius, time: time) }
  }

  /// Adds a commanded lambda (PID 44).
  public mutating func commandedLambda(_ lambda: Double, at time: Int64) {
    if lambda.isFinite, lambda > 0.3 { air.commandedLambda = EngineAir.Timed(value: lambda, time: time) }
  }

  /// Adds a measured lambda (PIDs 24, 34 or 8C) of the first sensor of bank 1.
  public mutating func measuredLambda(_ lambda: Double, at time: Int64) {
    if lambda.isFinite, lambda > 0.3 { air.measuredLambda = EngineAir.Timed(value: lambda, time: time) }
  }

  /// Stores the engine speed, rpm, for the calculation of flows.
  mutating func airSpeed(_ rpm: Double, at time: Int64) {
    air.engineSpeed = EngineAir.Timed(value: rpm, time: time)
  }

  /// Returns the value if it is plausible and a trip is in progress; otherwise `nil`.
  private mutating func flow(_ value: Double, at time: Int64) -> Double? {
    guard value.isFinite, value >= 0 else { return nil }
    expire(at: time)
    return hasTrip ? value : nil
  }

  /// Returns 1 / commanded lambda: the ratio of injected fuel to the fuel for stoichiometric combustion. Returns 0
  /// while the injection is cut off, and `nil` if lambda is unknown.
  private func commandedShare(at time: Int64) -> Double? {
    guard let lambda = air.commandedLambda.value(at: time, within: options.longestGap) else { return nil }
    return lambda >= Self.fuelCutLambda ? 0 : 1 / lambda
  }
}
