import FleetDomain
import Testing

@testable import FleetConnectors

/// The samples of Tesla and Ford. Tesla has miles (1.609344 km), mph and bar (100 kPa); Ford has metric units.
@Suite struct CarMappingTests {
  @Test func values_of_a_tesla_are_converted_to_metric_units() throws {
    let page = try TeslaMapping.data(try Sample.json("tesla/vehicle_data_model3_rhd_km.json"))
    let head = "LRWXF7EK4KC700000"
    #expect(
      page.lines == [
        #"2023-11-28T00:00:12.000Z \#(head) position {"heading":185,"latitude":-30.222626,"longitude":-97.6236871}"#,
        #"2024-01-19T23:38:40.649Z \#(head) drive_state {"drivePower":-7}"#,
        #"2024-01-19T23:38:40.649Z \#(head) charge_state {"chargeEnergyAdded":0,"chargerPower":0,"#
          + #""chargingState":"Stopped","hybridBatteryPackRemainingCharge":77,"range":429.485633}"#,
        #"2024-01-19T23:38:40.649Z \#(head) climate_state {"ambientAirTemperature":30,"cabinTemperature":29.8}"#,
        #"2024-01-19T23:38:40.649Z \#(head) vehicle_state {"odometer":10430.189495,"tirePressure":{"frontLeft":277.5,"#
          + #""frontRight":280,"rearLeft":277.5,"rearRight":277.5}}"#,
      ])
    #expect(page.meters == ["2024-01-19T23:38:40.649Z \(head) odometer 10430.189495"])
    #expect(page.assets.map(\.vin) == [head])
  }

  @Test func only_vehicles_that_are_awake_are_read() throws {
    let (page, awake) = try TeslaMapping.list(try Sample.json("tesla/vehicles_list_owner_and_driver.json"))
    #expect(page.assets.map(\.vin) == ["5YJSA7E21JF230000", "5YJ3E7EA3LF760000"])
    #expect(awake == ["5YJSA7E21JF230000"] && page.ignored == ["vehicle asleep": 1])
    // The VIN of this sample has only 16 characters.
    let (old, _) = try TeslaMapping.list(try Sample.json("tesla/ownerapi_vehicles_list__1.json"))
    #expect(old.assets.map(\.id) == ["5YJSA11111111111"] && old.assets.map(\.vin) == [nil])
  }

  @Test func a_tesla_that_is_offline_has_no_values() throws {
    let page = try TeslaMapping.data(try Sample.json("tesla/vehicle_offline_only_header.json"))
    #expect(page.records.isEmpty && page.assets.count == 1)
  }

  @Test func each_metric_of_a_ford_becomes_a_record_of_its_time() throws {
    let page = try FordMapping.telemetry(try Sample.json("ford/fcon_telemetry_ice_driving.json"))
    let (early, late) = ("2026-03-11T07:55:07.000Z 1FTFW1E5XNFA00000", "2026-03-11T07:55:12.000Z 1FTFW1E5XNFA00000")
    #expect(
      page.lines == [
        #"\#(early) batteryStateOfCharge {"starterBatteryCharge":84}"#,
        #"\#(early) batteryVoltage {"batteryVoltage":14.1}"#,
        #"\#(early) engineCoolantTemp {"coolantTemp":92}"#,
        #"\#(early) engineSpeed {"rpm":1650}"#,
        #"\#(early) fuelRange {"range":812}"#,
        #"\#(late) heading {"heading":99.1}"#,
        #"\#(late) ignitionStatus {"ignition":"on"}"#,
        #"\#(early) odometer {"odometer":93211}"#,
        #"\#(early) oilLifeRemaining {"oilLifeRemaining":41}"#,
        #"\#(late) outsideTemperature {"ambientAirTemperature":7}"#,
        #"\#(late) position {"altitude":270,"heading":99.1,"latitude":48.112982,"longitude":15.919209}"#,
        #"\#(early) speed {"speed":88.5}"#,
      ])
    // More than a full tank cannot be true.
    #expect(page.ignored["fuelLevel that cannot be true"] == 1)
    #expect(page.ignored["metric tirePressure"] == 1)
  }

  private static let ford = "WF02XXERK1SM00000"

  @Test func a_ford_without_values_gives_a_vehicle_and_no_record() throws {
    let page = try FordMapping.telemetry(try Sample.json("ford/fcon_telemetry_sparse_nulls.json"))
    #expect(page.records.isEmpty && page.assets.map(\.vin) == [Self.ford])
    #expect(throws: ConnectorError.self) { try FordMapping.telemetry(try Sample.json("ford/fcon_error_401.json")) }
  }

  @Test func the_garage_is_a_list_or_one_vehicle() throws {
    let list = try FordMapping.garage(try Sample.json("ford/fcon_garage_list_form.json"))
    #expect(list.assets.map(\.model) == ["Puma"] && list.assets.map(\.modelYear) == [2025])
    let one = try FordMapping.garage(try Sample.json("ford/fcon_garage_single_form.json"))
    #expect(one.assets.map(\.make) == ["Ford"] && one.assets.map(\.modelYear) == [2023])
  }
}
