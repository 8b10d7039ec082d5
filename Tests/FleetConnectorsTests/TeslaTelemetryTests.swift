import FleetDomain
import Telemetry
import Testing

@testable import FleetConnectors

/// Messages of Tesla's Fleet Telemetry, and the charges in them.
@Suite struct TeslaTelemetryTests {
  private static func page(_ file: String) throws -> PulledPage {
    TeslaTelemetry.page(try Sample.bytes("tesla/fleet_telemetry_\(file).jsonl"))
  }

  private static func page(_ vin: String, _ signals: String) -> PulledPage {
    // A message is one line.
    TeslaTelemetry.page(
      Array(
        (#"{"data":[\#(signals.replacing("\n", with: ""))],"createdAt":"2025-01-31T16:34:33.180550283Z","#
          + #""vin":"\#(vin)"}"#).utf8))
  }

  @Test func signals_are_converted_to_the_units_of_the_fleet() {
    let page = Self.page(
      "XP7YGCEK9PB000000",
      """
      {"key":"VehicleSpeed","value":{"doubleValue":31.5}},{"key":"Odometer","value":{"stringValue":"1000"}},
      {"key":"Location","value":{"locationValue":{"latitude":52.5,"longitude":8.75}}},
      {"key":"OutsideTemp","value":{"stringValue":"-1.5"}},{"key":"Gear","value":{"stringValue":"D"}},
      {"key":"TpmsPressureFl","value":{"stringValue":"2.85"}},{"key":"RatedRange","value":{"doubleValue":100}},
      {"key":"Soc","value":{"invalid":true}},{"key":"InsideTemp","value":{}},
      {"key":"Locked","value":{"booleanValue":true}}
      """)
    // 31.5 mph, 1,000 and 100 miles of 1.609344 km, and 2.85 bar.
    #expect(
      page.records.map { JSON.object($0.values).canonicalText } == [
        #"{"ambientAirTemperature":-1.5,"latitude":52.5,"longitude":8.75,"odometer":1609.344,"range":160.9344,"#
          + #""shiftState":"D","speed":50.694336,"tirePressure":{"frontLeft":285}}"#
      ])
    #expect(page.meters == ["2025-01-31T16:34:33.180Z XP7YGCEK9PB000000 odometer 1609.344"])
    #expect(page.ignored == ["signals that are not stored": 1])
  }

  @Test func lines_that_are_not_messages_are_counted() {
    let page = TeslaTelemetry.page(Array("nonsense\n\n{\"data\":[]}\n{\"vin\":\"X\",\"createdAt\":\"\"}".utf8))
    #expect(page.records.isEmpty && page.ignored == ["line that is not JSON": 1, "message without vin and time": 2])
  }

  /// Each recording has one vehicle, and each position that it contains is stored.
  @Test(arguments: [
    "accharging2", "accharging_typed", "chargingdetailedwithoutchargingstate", "dccharging1", "dccharging3",
    "dccharging_typed", "drivingbygear", "drivingbygear_typed", "drivingbyspeed_typed",
    "pluggedin_notcharging_precondition", "raven2", "route",
  ])
  func recordings_give_one_vehicle_and_all_its_positions(_ file: String) throws {
    let text = String(decoding: try Sample.bytes("tesla/fleet_telemetry_\(file).jsonl"), as: UTF8.self)
    let page = try Self.page(file)
    #expect(page.assets.count == 1 && page.assets[0].vin != nil && !page.records.isEmpty)
    #expect(
      page.records.count { $0.values["latitude"] != nil } == text.split(separator: "\"locationValue\"").count - 1)
    #expect(page.ignored.keys.allSatisfy { $0 == "signals that are not stored" }, "\(page.ignored)")
  }

  private static func charges(_ file: String) throws -> [String] {
    var follower = ChargeFollower()
    return try page(file).charges.compactMap { follower.add($0) }.map { charge in
      "\(charge.from.string) \(charge.to.string) \(charge.energy.map { "\(Units.rounded($0))" } ?? "")"
    }
  }

  @Test func charges_begin_and_end_with_the_charge_state() throws {
    // The energy of the AC supply, read from the recording by hand: its last counter before the end.
    #expect(
      try Self.charges("accharging_typed") == ["2025-01-30T12:51:40.968Z 2025-01-30T13:42:16.968Z 1.719167"])
    #expect(
      try Self.charges("dccharging_typed") == ["2025-01-31T16:34:53.681Z 2025-01-31T16:35:28.681Z 0.24"])
    // The recording ends while the vehicle is charging.
    #expect(try Self.charges("dccharging3") == [])
    #expect(try Self.charges("pluggedin_notcharging_precondition") == [])
  }

  @Test func a_charge_of_a_polled_vehicle_ends_when_it_is_not_charging_any_more() throws {
    var page = try TeslaMapping.data(try Sample.json("tesla/vehicle_data_dc_charging.json"))
    let charging = try #require(page.charges.first)
    #expect(charging.isCharging == true && charging.energy == [.battery: 14.62])
    #expect(charging.odometer == page.readings.first?.value && charging.odometer != nil)
    page = try TeslaMapping.data(try Sample.json("tesla/vehicle_data_model3_rhd_km.json"))
    #expect(page.charges.map(\.isCharging) == [false])
    var follower = ChargeFollower()
    #expect(follower.add(charging) == nil)
    var later = charging
    later.at = charging.at.adding(seconds: 600)
    (later.energy, later.isCharging) = ([.battery: 20.5], false)
    // The state is stored between two pulls.
    follower = ChargeFollower(json: follower.json)
    let charge = follower.add(later)
    #expect(charge?.energy == 20.5 && charge?.from == charging.at && charge?.to == later.at)
    // A page that is repeated begins no other charge.
    #expect(follower.add(charging) == nil && follower.open == nil)
    #expect(follower.add(later) == nil)
  }

  @Test func a_counter_that_begins_again_is_another_charge() {
    func report(_ seconds: Int, _ energy: Double, _ isCharging: Bool? = true) -> PulledCharge {
      PulledCharge(
        asset: "1", at: Timestamp(nanoseconds: 1_700_000_000_000_000_000).adding(seconds: seconds),
        isCharging: isCharging, energy: [.battery: energy])
    }
    var follower = ChargeFollower()
    #expect(follower.add(report(0, 5)) == nil)
    #expect(follower.add(report(60, 6)) == nil)
    // Heating the battery takes energy back.
    #expect(follower.add(report(120, 5.9)) == nil)
    #expect(follower.add(report(3_600, 1))?.energy == 6)
    #expect(follower.add(report(3_700, 2, false))?.energy == 2)
    // Without a beginning there is no charge.
    #expect(follower.add(report(9_000, 30, false)) == nil)
  }
}
