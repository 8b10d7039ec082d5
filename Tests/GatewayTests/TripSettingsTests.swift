import Fusion
import Testing

@testable import Gateway

@Suite struct TripSettingsTests {
  private func read(_ text: String) throws -> GatewayConfiguration {
    try GatewayConfiguration(parsing: Array(text.utf8), file: "gateway.json")
  }

  private func refusal(_ text: String) -> String {
    do {
      _ = try read(text)
      return "accepted"
    } catch {
      return "\(error)"
    }
  }

  @Test func trip_settings_have_defaults() throws {
    let configuration = try read("{}")
    #expect(TripOptions(configuration.trips, configuration.vehicle) == TripOptions())
    #expect(DrivingOptions(configuration.driving) == DrivingOptions())
  }

  @Test func each_key_of_trips_has_its_meaning() throws {
    let configuration = try read(
      #"""
      {"vehicle": {"displacement": 1.6, "volumetricEfficiency": 0.85, "cylinders": 4, "fuel": "diesel"},
       "trips": {"stopTime": 300, "idleTime": 600, "leastDistance": 0.2, "longestGap": 5, "chargingVoltage": 13}}
      """#)
    let options = try #require(TripOptions(configuration.trips, configuration.vehicle))
    #expect(options.stopTime == 300_000_000_000)
    #expect(options.idleTime == 600_000_000_000)
    #expect(options.leastDistance == 0.2)
    #expect(options.longestGap == 5_000_000_000)
    #expect(options.chargingVoltage == 13)
    #expect(options.displacement == 1.6)
    #expect(options.volumetricEfficiency == 0.85)
    #expect(options.cylinders == 4)
    #expect(options.fuel == .diesel)
    #expect(!options.mayDriveElectrically)
  }

  @Test func trips_can_be_switched_off() throws {
    let configuration = try read(#"{"trips": {"enabled": false}}"#)
    #expect(TripOptions(configuration.trips, configuration.vehicle) == nil)
  }

  @Test func fuel_types_with_electric_drive_are_recognised() throws {
    for fuel in ["electric", "hybrid"] {
      let configuration = try read(#"{"vehicle": {"fuel": "\#(fuel)"}}"#)
      #expect(TripOptions(configuration.trips, configuration.vehicle)?.mayDriveElectrically == true)
    }
  }

  @Test func each_key_of_driving_has_its_meaning() throws {
    let configuration = try read(
      #"""
      {"driving": {"harshBraking": 4, "harshAcceleration": 2.5, "speedLimit": 130, "overspeedTime": 20,
                   "idlingTime": 120, "lowVoltage": 12, "lowVoltageTime": 30}}
      """#)
    let options = DrivingOptions(configuration.driving)
    #expect(options.harshBraking == 4)
    #expect(options.harshAcceleration == 2.5)
    #expect(options.speedLimit == 130)
    #expect(options.overspeedTime == 20_000_000_000)
    #expect(options.idlingTime == 120_000_000_000)
    #expect(options.lowVoltage == 12)
    #expect(options.lowVoltageTime == 30_000_000_000)
  }

  @Test func false_disables_a_driving_event() throws {
    let configuration = try read(
      #"{"driving": {"harshBraking": false, "harshAcceleration": false, "idlingTime": false, "lowVoltage": false}}"#)
    let options = DrivingOptions(configuration.driving)
    #expect(options.harshBraking == nil && options.harshAcceleration == nil)
    #expect(options.idlingTime == nil && options.lowVoltage == nil)
  }

  @Test(arguments: [
    (#"{"trips":{"stopTime":5}}"#, "1:22: trips.stopTime", "from 60.0 to 3600.0"),
    (#"{"trips":{"stopTimes":180}}"#, "trips.stopTimes", "did you mean \"stopTime\"?"),
    (#"{"trips":{"longestGap":600}}"#, "trips.longestGap", "from 2.0 to 60.0"),
    (#"{"trips":true}"#, "trips", "an object"),
    (#"{"driving":{"harshBraking":0}}"#, "driving.harshBraking", "from 1.0 to 10.0"),
    (#"{"driving":{"harshBraking":true}}"#, "driving.harshBraking", "a number or false"),
    (#"{"driving":{"lowVoltage":"11.8"}}"#, "driving.lowVoltage", "a number or false"),
    (#"{"driving":{"speedLimit":1300}}"#, "driving.speedLimit", "from 5.0 to 300.0"),
    (#"{"vehicle":{"volumetricEfficiency":85}}"#, "vehicle.volumetricEfficiency", "from 0.3 to 1.5"),
    (#"{"vehicle":{"cylinders":2.5}}"#, "vehicle.cylinders", "whole number"),
  ])
  func an_invalid_trip_setting_is_reported_with_its_place(_ row: (text: String, place: String, right: String)) {
    let message = refusal(row.text)
    #expect(message.contains(row.place), "\(message)")
    #expect(message.contains(row.right), "\(message)")
  }
}
