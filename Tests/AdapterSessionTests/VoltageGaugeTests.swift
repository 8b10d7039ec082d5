import Testing

@testable import AdapterSession

@Suite struct VoltageGaugeTests {
  private var gauge = VoltageGauge(PowerConfiguration(), offset: 0)
  private var now: Int64 = 0

  private mutating func read(_ volts: Double?..., module: Double? = nil) {
    for volts in volts {
      now += 10 * SessionBench.second
      if let module { gauge.controlModule(module, at: now) }
      gauge.adapter(volts, at: now)
    }
  }

  @Test mutating func a_voltage_counts_once_it_was_seen_to_change() {
    read(12.4)
    #expect(gauge.volts == nil)
    read(12.4, 12.3)
    #expect(gauge.volts == 12.3)
    read(12.3, 12.3, 12.3)
    #expect(gauge.volts == 12.3)
  }

  @Test(arguments: [nil, 0.0, 2.9, 48]) mutating func missing_and_impossible_voltages_are_ignored(answer: Double?) {
    read(12.4, 12.3, answer)
    #expect(gauge.volts == nil)
    read(12.3)
    #expect(gauge.volts == 12.3)
  }

  @Test mutating func the_control_module_corrects_the_divider() throws {
    read(11.8, 11.9)
    read(11.9, module: 12.6)
    #expect(abs(try #require(gauge.volts) - 12.6) < 0.001)
    // A single pair of values that differ moves the correction only by a quarter.
    read(11.9, module: 12.2)
    #expect(abs(try #require(gauge.volts) - 12.5) < 0.001)
  }

  @Test mutating func readings_of_different_moments_are_not_compared() {
    gauge.controlModule(14.2, at: now)
    now += 5 * SessionBench.second
    read(12.4, 12.5)
    #expect(gauge.offset == 0)
  }

  @Test mutating func an_adapter_far_from_the_control_module_decides_nothing() {
    read(9.0, 9.1)
    read(9.2, 9.1, 9.0, module: 14.2)
    #expect(gauge.volts == nil)
    #expect(gauge.offset == 0)
    read(14.1, module: 14.2)
    #expect(gauge.volts != nil)
  }

  @Test mutating func a_voltage_that_stands_still_while_the_control_modules_moves_is_frozen() {
    read(12.8, 12.9)
    read(12.9, module: 13.2)
    read(12.9, module: 12.2)
    #expect(gauge.volts == nil)
    read(12.8)
    #expect(gauge.volts != nil)
  }

  @Test mutating func above_18_volts_it_is_halved_and_cranking_does_not_change_that() {
    read(24.6, 24.8, 24.8, 24.8)
    #expect(gauge.volts == 12.4)
    read(17.2, 16.8, 17.0, 17.4)
    #expect(gauge.isHeavy)
    #expect(gauge.volts == 8.7)
  }

  @Test mutating func a_car_behind_a_truck_is_one_of_12_volts_again() {
    read(24.6, 24.8, 24.8, 24.8)
    read(12.6, 12.5, 12.6)
    #expect(gauge.volts == 12.6)
  }

  @Test mutating func a_single_reading_above_18_volts_does_not_indicate_a_24_volt_vehicle() {
    read(12.6, 24.9, 12.6)
    #expect(!gauge.isHeavy)
  }
}
