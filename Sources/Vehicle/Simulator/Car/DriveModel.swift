/// The sensor values of a car at one moment, in units of SAE J1979-DA.
struct DriveState: Sendable {
  var activity = DriveCycle.Activity.off
  /// Speed, km/h.
  var speed = 0.0
  /// Engine speed, 1/min.
  var rpm = 0.0
  /// Calculated load, %.
  var load = 0.0
  /// Absolute throttle position, %.
  var throttle = 0.0
  /// Accelerator pedal position, %.
  var pedal = 0.0
  /// Coolant temperature, °C.
  var coolant = 0.0
  /// Temperature of the intake air, °C.
  var intakeAir = 0.0
  /// Temperature of the ambient air, °C.
  var ambient = 0.0
  /// Oil temperature, °C.
  var oil = 0.0
  /// Catalyst temperature, °C.
  var catalyst = 0.0
  /// Pressure in the intake manifold, kPa.
  var manifold = 101.0
  /// Barometric pressure, kPa.
  var barometer = 101.0
  /// Mass air flow, g/s.
  var airFlow = 0.0
  /// Fuel rate, L/h.
  var fuelRate = 0.0
  /// Fuel level, %.
  var fuelLevel = 0.0
  /// Short-term fuel trim, %.
  var shortTrim = 0.0
  /// Long-term fuel trim, %.
  var longTrim = 0.0
  /// Ignition timing, ° before top dead centre.
  var timing = 0.0
  /// Voltage of the narrow-range oxygen sensor upstream of the catalyst, V.
  var sensor1 = 0.45
  /// Voltage of the narrow-range oxygen sensor downstream of the catalyst, V.
  var sensor2 = 0.6
  /// Lambda (air-fuel ratio) that the wide-range oxygen sensor measures; 1 if stoichiometric.
  var lambda = 1.0
  /// Supply voltage at the ECUs and the adapter, V.
  var voltage = 12.4
  /// Time since the engine was last started, s.
  var runSeconds = 0.0
  /// Total time for which the engine has run since the beginning of the drive, s.
  var engineSeconds = 0.0
  /// Distance since the beginning of the drive, km.
  var distance = 0.0
  /// Odometer, km.
  var odometer = 0.0
  /// How often the engine was started since the beginning of the drive.
  var starts = 0

  var isAwake: Bool { activity != .off }
  var isRunning: Bool { activity.isRunning }
}

/// Computes sensor values from the drive cycle. The values depend only on time and seed. Only basic arithmetic is used,
/// so that all machines compute the same values.
struct DriveModel: Sendable {
  var cycle: DriveCycle
  /// Outside temperature, °C.
  var ambient = 20.0
  /// Engine displacement, L.
  var displacement = 1.6
  /// Fuel level at the beginning of the drive, %.
  var fuelLevel = 70.0
  /// Tank capacity, L.
  var tank = 50.0
  /// Odometer at the beginning of the drive, km.
  var odometer = 43_210.0
  /// Voltage of the battery at rest, V: about 12 in a car, 24 in a truck.
  var battery = 12.4
  /// Amplitude of the noise of all sensors: 0 for no noise, 1 for realistic noise.
  var noise = 1.0
  var seed: UInt64 = 1

  /// Returns the sensor values at a time since the beginning of the drive.
  func state(at time: Duration) -> DriveState {
    let seconds = time.inSeconds
    let moment = cycle.moment(at: seconds)
    var state = DriveState()
    state.activity = moment.activity
    state.speed = moment.speed
    state.runSeconds = moment.runSeconds
    state.engineSeconds = moment.engineSeconds
    state.distance = moment.distance
    state.odometer = odometer + moment.distance
    state.starts = moment.starts
    // Warm-up: after two minutes of engine time, the temperature has covered half of the difference to its final value.
    let warmth = moment.engineSeconds / (moment.engineSeconds + 120)
    state.ambient = ambient
    state.coolant = ambient + (92 - ambient) * warmth
    state.oil = ambient + (98 - ambient) * moment.engineSeconds / (moment.engineSeconds + 240)
    state.catalyst = ambient + (480 - ambient) * warmth
    state.intakeAir = ambient + 8 * warmth
    // The consumption is an average, so that the level does not depend on the times of requests.
    let burnt = moment.engineSeconds * 0.8 / 3600 + moment.distance * 0.065
    state.fuelLevel = max(0, fuelLevel - burnt / tank * 100)
    state.voltage = voltage(moment, seconds)
    if moment.activity == .crank { state.rpm = 220 + jitter(0, seconds) * 15 }
    if state.isRunning { run(&state, moment, seconds, warmth: warmth) }
    return state
  }

  private func run(_ state: inout DriveState, _ moment: DriveCycle.Moment, _ seconds: Double, warmth: Double) {
    let idle = 780 + 320 * (1 - warmth)
    switch moment.activity {
    case .accelerate: (state.load, state.pedal) = (72, 48)
    case .brake: (state.load, state.pedal) = (6, 0)
    case .cruise: (state.load, state.pedal) = (22 + moment.speed / 5, 8 + moment.speed / 8)
    default: (state.load, state.pedal) = (19 + 6 * (1 - warmth), 0)
    }
    // For each gear, the vehicle speed in km/h at an engine speed of 1,000/min. The car uses the highest gear in which
    // the engine still reaches the minimum speed `least`.
    let least = moment.activity == .accelerate ? 1900.0 : 1300.0
    let gears = [7.5, 14, 21, 28.5, 36, 43]
    let gear = gears.last { moment.speed / $0 * 1000 >= least } ?? gears[0]
    state.rpm = max(idle, moment.speed / gear * 1000) + jitter(0, seconds) * 12
    state.load += jitter(1, seconds) * 1.5
    state.throttle = 12.5 + state.pedal * 0.75 + jitter(2, seconds) * 0.4
    state.manifold = 28 + state.load * 0.7
    state.airFlow = state.rpm / 120 * displacement * 1.18 * (0.14 + state.load / 100 * 0.8)
    state.fuelRate = moment.activity == .brake && moment.speed > 20 ? 0 : state.airFlow * 0.3287
    state.shortTrim = jitter(3, seconds) * 3
    state.longTrim = 1.5625
    state.timing = 8 + state.rpm / 250 - state.load / 10
    // Because of closed-loop control, the voltage of the upstream sensor alternates about once a second.
    state.sensor1 = noise == 0 ? 0.45 : jitter(4, seconds) > 0 ? 0.78 : 0.12
    state.sensor2 = 0.64 + jitter(5, seconds) * 0.03
    state.lambda = moment.activity == .accelerate ? 0.96 : 1 + jitter(6, seconds) * 0.01
  }

  private func voltage(_ moment: DriveCycle.Moment, _ seconds: Double) -> Double {
    let scale = battery > 18 ? 2.0 : 1.0
    return switch moment.activity {
    case .off, .ignition: battery
    case .crank: battery - 2.6 * scale
    default: battery + 1.7 * scale + jitter(7, seconds) * 0.1 * scale
    }
  }

  /// Returns a sensor's noise, a number from -1 to 1 that changes every 200 ms.
  private func jitter(_ sensor: UInt64, _ seconds: Double) -> Double {
    guard noise > 0 else { return 0 }
    let step = UInt64(max(0, seconds) * 5)
    let mixed = SeededGenerator.mix(seed &* 0x9E37_79B9 &+ sensor &<< 56 ^ step &* 0xD6E8_FEB8_6659_FD93)
    return (Double(mixed >> 11) / 4_503_599_627_370_496 - 1) * noise
  }
}
