/// The newest readings that fuel is worked out from, and the flow that follows from them.
struct EngineAir: BitwiseCopyable {
  /// A reading and when it came.
  struct Timed: BitwiseCopyable {
    var value = 0.0
    var time: Int64 = .min

    /// The value, if it is not older than `age` at `time`.
    func value(at time: Int64, within age: Int64) -> Double? {
      self.time != .min && time - self.time <= age ? value : nil
    }
  }

  /// rpm
  var engineSpeed = Timed()
  /// PID 44.
  var commandedLambda = Timed()
  /// A wide-range sensor ahead of the catalyst.
  var measuredLambda = Timed()
  /// °C
  var intakeTemperature = Timed()

  /// Dry air: J/(kg K), from R = 8.314463 J/(mol K) and 28.9647 g/mol (US Standard Atmosphere 1976).
  private static let gasConstant = 287.05

  /// g/s that four strokes draw in.
  ///
  /// - Parameters:
  ///   - pressure: in the manifold, absolute, kPa.
  ///   - temperature: °C.
  ///   - rpm: engine speed.
  ///   - volume: litres swept, times the share that is filled.
  static func flow(pressure: Double, temperature: Double, rpm: Double, volume: Double) -> Double {
    // kPa × L are J; two turns for each filling, 60 s a minute.
    pressure * volume / (gasConstant * (temperature + 273.15)) * rpm / 120 * 1_000
  }
}

extension TripWatch {
  /// From here on a commanded lambda is the full scale that stands for a fuel cut: no spark lights such a mixture.
  private static let fuelCutLambda = 1.95
  /// From here on a wide-range sensor may be at the end of its scale (2, where PID 4F does not say otherwise).
  private static let scaleEnd = 1.99

  /// PID 5E, L/h.
  public mutating func fuelRate(_ litresPerHour: Double, at time: Int64) {
    guard let rate = flow(litresPerHour, at: time) else { return }
    trip.fuel.volume.add(rate, at: time, longestGap: options.longestGap)
  }

  /// PID 9D, the engine's share, g/s.
  public mutating func fuelMassRate(_ gramsPerSecond: Double, at time: Int64) {
    guard let rate = flow(gramsPerSecond, at: time) else { return }
    trip.fuel.mass.add(rate, at: time, longestGap: options.longestGap)
  }

  /// PID A2, mg for one stroke of one cylinder.
  public mutating func cylinderFuelRate(_ milligrams: Double, at time: Int64) {
    guard let milligrams = flow(milligrams, at: time), let cylinders = options.cylinders,
      let rpm = air.engineSpeed.value(at: time, within: options.longestGap)
    else { return }
    let rate = milligrams / 1_000 * Double(cylinders) * rpm / 120
    trip.fuel.stroke.add(rate, at: time, longestGap: options.longestGap)
  }

  /// PID 10, g/s.
  public mutating func massAirFlow(_ gramsPerSecond: Double, at time: Int64) {
    guard let flow = flow(gramsPerSecond, at: time) else { return }
    if let share = commandedShare(at: time) {
      trip.fuel.airCommanded.add(flow * share, at: time, longestGap: options.longestGap)
    }
    if let lambda = air.measuredLambda.value(at: time, within: options.longestGap), lambda < Self.scaleEnd {
      trip.fuel.airMeasured.add(flow / lambda, at: time, longestGap: options.longestGap)
    } else {
      trip.fuel.airMeasured.breakOff()
    }
  }

  /// PID 0B, kPa.
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

  /// Intake air warms slowly.
  private static let temperatureAge: Int64 = 60_000_000_000

  /// PID 0F, °C.
  public mutating func intakeTemperature(_ celsius: Double, at time: Int64) {
    if celsius.isFinite, celsius > -60 { air.intakeTemperature = EngineAir.Timed(value: celsius, time: time) }
  }

  /// PID 44.
  public mutating func commandedLambda(_ lambda: Double, at time: Int64) {
    if lambda.isFinite, lambda > 0.3 { air.commandedLambda = EngineAir.Timed(value: lambda, time: time) }
  }

  /// PIDs 24, 34 or 8C, the first sensor of the first bank.
  public mutating func measuredLambda(_ lambda: Double, at time: Int64) {
    if lambda.isFinite, lambda > 0.3 { air.measuredLambda = EngineAir.Timed(value: lambda, time: time) }
  }

  mutating func airSpeed(_ rpm: Double, at time: Int64) {
    air.engineSpeed = EngineAir.Timed(value: rpm, time: time)
  }

  /// A value that can be one, once the trip that it belongs to is known; nil: there is none.
  private mutating func flow(_ value: Double, at time: Int64) -> Double? {
    guard value.isFinite, value >= 0 else { return nil }
    expire(at: time)
    return hasTrip ? value : nil
  }

  /// By how much the air is divided; 0 while no fuel is injected.
  private func commandedShare(at time: Int64) -> Double? {
    guard let lambda = air.commandedLambda.value(at: time, within: options.longestGap) else { return nil }
    return lambda >= Self.fuelCutLambda ? 0 : 1 / lambda
  }
}
