import Testing

@testable import Simulator

/// The drive is a function of time alone.
@Suite struct DriveCycleTests {
  private let cycle = DriveCycle(
    [
      .init(.ignition, seconds: 5), .init(.crank, seconds: 1), .init(.accelerate, seconds: 10, speed: 72),
      .init(.cruise, seconds: 50), .init(.brake, seconds: 10, speed: 0), .init(.off, seconds: 24),
    ], repeats: true)

  @Test func speed_rises_and_falls_evenly() {
    #expect(cycle.moment(at: 0).speed == 0)
    #expect(cycle.moment(at: 11).speed == 36)
    #expect(cycle.moment(at: 16).speed == 72)
    #expect(cycle.moment(at: 66 + 2.5).speed == 54)
    #expect(cycle.moment(at: 77).speed == 0)
  }

  @Test func distance_is_the_integral_of_speed() {
    // 10 s · 36 km/h + 50 s · 72 km/h + 10 s · 36 km/h = 1.2 km.
    #expect(abs(cycle.moment(at: 100).distance - 1.2) < 1e-9)
    #expect(abs(cycle.moment(at: 41).distance - 0.6) < 1e-9)
    #expect(abs(cycle.moment(at: 1000).distance - 12) < 1e-9)
    var summed = 0.0
    for step in 0..<100_000 { summed += cycle.moment(at: Double(step) / 1000).speed / 3_600_000 }
    #expect(abs(summed - cycle.moment(at: 100).distance) < 1e-4)
  }

  @Test func the_run_time_begins_at_zero_with_each_start() {
    #expect(cycle.moment(at: 16).runSeconds == 10)
    #expect(cycle.moment(at: 80).runSeconds == 0)
    #expect(cycle.moment(at: 116).runSeconds == 10)
    #expect(abs(cycle.moment(at: 1016).engineSeconds - 710) < 1e-9)
    #expect(cycle.moment(at: 50).starts == 1)
    #expect(cycle.moment(at: 150).starts == 2)
    #expect(cycle.moment(at: 1050).starts == 11)
  }

  @Test func an_engine_that_never_stops_runs_on_through_every_lap() {
    let idle = DriveCycle([.init(.idle, seconds: 10)], repeats: true)
    #expect(idle.moment(at: 95).runSeconds == 95)
    let once = DriveCycle([.init(.idle, seconds: 10)], repeats: false)
    #expect(once.moment(at: 95).runSeconds == 95)
    #expect(once.moment(at: 95).starts == 1)
  }

  @Test func without_repetition_the_last_phase_goes_on() {
    let road = DriveCycle([.init(.accelerate, seconds: 10, speed: 50), .init(.cruise, seconds: 10)], repeats: false)
    #expect(road.moment(at: 3610 + 10).speed == 50)
    #expect(abs(road.moment(at: 10 + 3600).distance - (50 + 25.0 / 360)) < 1e-9)
  }

  @Test func sensors_follow_the_driver() {
    var model = DriveModel(cycle: cycle)
    model.noise = 0
    let standing = model.state(at: .seconds(2))
    let rising = model.state(at: .seconds(12))
    let cruising = model.state(at: .seconds(60))
    #expect(standing.rpm == 0 && standing.airFlow == 0 && standing.voltage == 12.4)
    #expect(model.state(at: .milliseconds(5500)).voltage < 10)
    #expect(rising.rpm > cruising.rpm && rising.load > cruising.load && rising.throttle > cruising.throttle)
    #expect(cruising.coolant > rising.coolant && cruising.fuelLevel < rising.fuelLevel)
    #expect(model.state(at: .seconds(70)).fuelRate == 0)
    #expect(abs(cruising.odometer - standing.odometer - cruising.distance) < 1e-9)
  }

  @Test func fuel_and_warmth_never_go_back() {
    var model = DriveModel(cycle: cycle)
    model.noise = 0
    var last = model.state(at: .zero)
    for second in 1...2000 {
      let state = model.state(at: .seconds(second))
      #expect(
        state.fuelLevel <= last.fuelLevel && state.coolant >= last.coolant && state.distance > last.distance - 1e-9)
      last = state
    }
    #expect(last.coolant > 80 && last.coolant < 92)
  }

  @Test func noise_is_the_same_for_the_same_seed_only() {
    var model = DriveModel(cycle: cycle)
    let speeds = { (model: DriveModel) in (10..<60).map { model.state(at: .seconds($0)).rpm } }
    let first = speeds(model)
    #expect(first == speeds(model))
    model.seed = 2
    #expect(first != speeds(model))
  }

  @Test func the_default_drive_lasts_twenty_minutes_and_rests_for_two() {
    let cycle = DriveCycle.standard
    #expect(cycle.phases.reduce(0) { $0 + $1.seconds } == 1320)
    #expect(cycle.phases.map(\.speed).max() == 121)
    #expect(cycle.moment(at: 1199).activity == .idle)
    #expect(cycle.moment(at: 1201).activity == .off)
  }

  @Test func trouble_codes_are_their_two_bytes() {
    #expect(TroubleCode("P0420")?.bytes == [0x04, 0x20, 0x00])
    #expect(TroubleCode("C1234")?.bytes == [0x52, 0x34, 0x00])
    #expect(TroubleCode("B2ABC")?.bytes == [0xAA, 0xBC, 0x00])
    #expect(TroubleCode("U3FFF-1A")?.bytes == [0xFF, 0xFF, 0x1A])
    for wrong in ["P4000", "X0100", "P010", "P01000", "P0100-1", "p0100"] { #expect(TroubleCode(wrong) == nil) }
  }
}
