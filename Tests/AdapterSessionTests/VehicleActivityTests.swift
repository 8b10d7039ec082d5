import Testing

@testable import AdapterSession

/// Vehicles that drive without their engine.
@Suite struct VehicleActivityTests {
  @Test(arguments: [nil, 0.0]) func an_electric_vehicle_at_a_red_light_is_polled(rpm: Double?) {
    let drive = Drive()
    drive.watch.activity.fuelType(0x08)
    for _ in 0..<5 {
      drive.go(60, volts: 12.0, rpm: rpm, speed: 30)
      drive.go(600, volts: 12.0, rpm: rpm, speed: 0)
    }
    #expect(drive.changes == [])
  }

  @Test(arguments: [0x08, 0x0F, 0x11, 0x13, 0x15, 0x1D] as [UInt8])
  func polling_of_an_electric_vehicle_left_on_stops_at_the_cut_off(
    fuel: UInt8
  ) {
    let drive = Drive()
    drive.watch.activity.fuelType(fuel)
    // The DC-DC converter feeds the 12 V system. The vehicle is on, and this may last.
    drive.go(7200, volts: 13.4, rpm: 0, speed: 0)
    #expect(drive.changes == [])
    drive.go(16 * 60, volts: 12.0, rpm: 0, speed: 0)
    #expect(drive.changes == [.sleep(.lowVoltage)])
  }

  @Test func a_hybrid_that_stands_for_minutes_with_its_engine_off_is_polled() {
    let drive = Drive()
    drive.watch.activity.mayDriveElectrically = true
    drive.go(30, volts: 12.1, rpm: 0, speed: 20)
    drive.go(14 * 60, volts: 12.1, rpm: 0, speed: 0)
    #expect(drive.changes == [])
  }
}
