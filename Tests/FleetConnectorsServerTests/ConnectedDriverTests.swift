import FleetAccess
import FleetDomain
import FleetWork
import Telemetry
import TestKit
import Testing

@testable import FleetConnectors

/// Drivers, hours of service, inspection reports and charges of other programs, on both databases.
@Suite struct ConnectedDriverTests {
  private static let cars = [SamsaraCloud.Car(id: "1", vin: "1FUJA6CV77LSYNTH1")]

  private static func driver(_ fleet: ConnectedFleet, _ set: @escaping @Sendable (inout Driver) -> Void) async throws
    -> UUIDv7
  {
    try await fleet.change { transaction throws(ThingError) in
      var driver = Driver()
      set(&driver)
      return try transaction.insert(driver).id
    }
  }

  @Test(arguments: Database.allCases)
  func drivers_are_matched_and_never_overwritten(_ database: Database) async throws {
    try await ConnectedFleet.with(database) { fleet in
      let ann = try await Self.driver(fleet) { ($0.name, $0.licenceNumber) = ("Ann Own", "AB-123 x") }
      let bob = try await Self.driver(fleet) { ($0.name, $0.phone) = ("Bob Own", "+1 555 0101") }
      let carl = try await Self.driver(fleet) { ($0.name, $0.licenceNumber) = ("Carl", "C1") }
      let cloud = SamsaraCloud(Self.cars)
      cloud.list(
        "/fleet/drivers",
        #"{"id":"11","name":"Ann Other","licenseNumber":"ab123X","phone":"777"}"#,
        #"{"id":"12","name":"bob own","phone":"+15550101","licenseNumber":"B2"}"#,
        // The same name is not enough.
        #"{"id":"13","name":"Carl","licenseNumber":"C2"}"#, #"{"id":"14","name":"Dora"}"#, #"{"name":"no id"}"#)
      let id = try await fleet.connect()
      let server = fleet.server(cloud)
      _ = try await server.round()
      fleet.clock.advance(seconds: 3_700)
      _ = try await server.round()
      let drivers = try await fleet.all(Driver.self)
      #expect(drivers.count == 5)
      let first = try #require(drivers.first { $0.id == ann }?.value)
      #expect(first.name == "Ann Own" && first.licenceNumber == "AB-123 x" && first.phone == "777")
      #expect(drivers.first { $0.id == bob }?.value.licenceNumber == "B2")
      #expect(drivers.first { $0.id == carl }?.value.licenceNumber == "C1")
      let sources = try await fleet.all(ConnectedDriver.self).map(\.value)
      #expect(sources.allSatisfy { $0.connectorID == id } && Set(sources.map(\.sourceID)) == ["11", "12", "13", "14"])
      #expect(
        sources.first { $0.sourceID == "11" }?.driver == ann && sources.first { $0.sourceID == "12" }?.driver == bob)
      #expect(try await fleet.connector(id).ignored["driver without id and name"] == .integer(2))
    }
  }

  @Test(arguments: Database.allCases)
  func hours_of_service_are_a_log_and_the_state_of_the_driver(_ database: Database) async throws {
    try await ConnectedFleet.with(database) { fleet in
      let cloud = SamsaraCloud(Self.cars)
      func log(_ status: String, _ from: String, _ to: String) -> String {
        #"{"hosStatusType":"\#(status)","logStartTime":"2026-03-01T\#(from):00Z","logEndTime":"2026-03-01T\#(to):00Z","#
          + #""vehicle":{"id":"1"}}"#
      }
      func answer(_ logs: String...) -> String {
        #"{"driver":{"id":"88668","name":"Susan Bob"},"hosLogs":[\#(logs.joined(separator: ","))]}"#
      }
      cloud.list(
        "/fleet/hos/logs",
        answer(log("offDuty", "06:00", "08:00"), log("driving", "08:00", "10:00"), log("sleeperBed", "10:00", "12:00")))
      let id = try await fleet.connect()
      let server = fleet.server(cloud)
      _ = try await server.round()
      var periods = try await fleet.all(DutyPeriod.self).map(\.value).sorted { $0.from < $1.from }
      #expect(periods.map(\.status) == [.offDuty, .driving, .sleeperBerth])
      #expect(periods.map(\.to?.string) == ["2026-03-01T08:00:00.000Z", "2026-03-01T10:00:00.000Z", nil])
      #expect(Set(periods.map(\.vehicle)) == ["1FUJA6CV77LSYNTH1"] && Set(periods.map(\.connectorID)) == [id])
      #expect(try await fleet.all(Driver.self).map(\.value.status) == [.offDuty])
      // The last period has ended, and another one follows.
      cloud.list("/fleet/hos/logs", answer(log("sleeperBed", "10:00", "12:02"), log("onDuty", "12:02", "12:06")))
      fleet.clock.advance(seconds: 310)
      _ = try await server.round()
      periods = try await fleet.all(DutyPeriod.self).map(\.value).sorted { $0.from < $1.from }
      #expect(periods.map(\.status) == [.offDuty, .driving, .sleeperBerth, .onDuty])
      #expect(periods[2].to?.string == "2026-03-01T12:02:00.000Z" && periods[3].to == nil)
      #expect(try await fleet.all(Driver.self).map(\.value.status) == [.available])
      let window = try #require(cloud.paths.last { $0.contains("/fleet/hos/logs") })
      #expect(window.contains("startTime=2026-02-27T12%3A05%3A10.000Z&endTime=2026-03-01T12%3A05%3A10.000Z"))
    }
  }

  @Test(arguments: Database.allCases)
  func lists_that_the_token_may_not_read_do_not_stop_the_others(_ database: Database) async throws {
    try await ConnectedFleet.with(database) { fleet in
      let cloud = SamsaraCloud(Self.cars)
      cloud.drive(seconds: 0..<2)
      cloud.list("/fleet/drivers", status: 403)
      let id = try await fleet.connect()
      _ = try await fleet.server(cloud).round()
      let connector = try await fleet.connector(id)
      #expect(connector.state == .working && connector.stored == 2)
      #expect(connector.ignored["drivers: the token may not read them"] == .integer(1))
    }
  }

  @Test(arguments: Database.allCases)
  func inspection_reports_become_defects(_ database: Database) async throws {
    try await ConnectedFleet.with(database) { fleet in
      let cloud = SamsaraCloud(Self.cars)
      func report(isResolved: Bool) -> String {
        #"{"id":"7","endTime":"2026-03-01T07:00:00Z","odometerMeters":14010293,"safetyStatus":"unsafe","#
          + #""vehicle":{"id":"1"},"vehicleDefects":[{"id":"18","defectType":"Brakes","comment":"soft pedal","#
          + #""createdAtTime":"2026-03-01T07:00:00Z","isResolved":\#(isResolved)},"#
          + #"{"id":"19","defectType":"Horn","createdAtTime":"2026-03-01T07:00:00Z","isResolved":true}]}"#
      }
      cloud.list("/fleet/dvirs/history", report(isResolved: false))
      try await fleet.connect()
      let server = fleet.server(cloud)
      _ = try await server.round()
      let defect = try #require(try await fleet.all(Defect.self).map(\.value).first)
      #expect(defect.vehicle == "1FUJA6CV77LSYNTH1" && defect.text == "Brakes: soft pedal")
      #expect(defect.severity == .unsafe && defect.source == .inspection && defect.status == .open)
      #expect(try await fleet.all(MeterReading.self).map(\.value.odometer) == [14_010.293])
      cloud.list("/fleet/dvirs/history", report(isResolved: true))
      fleet.clock.advance(seconds: 3_700)
      _ = try await server.round()
      #expect(try await fleet.all(Defect.self).map(\.value.status) == [.repaired])
    }
  }

  // MARK: Charges

  @Test(arguments: Database.allCases)
  func a_charge_of_a_tesla_is_one_energy_entry(_ database: Database) async throws {
    try await ConnectedFleet.with(database) { fleet in
      let id = try await fleet.connect("Tesla", .tesla)
      let connector = try await fleet.stored(id)
      try await fleet.change { [keys = fleet.keys] transaction throws(ThingError) in
        let stored = try transaction.existing(connector.id, Connector.self)
        var changed = stored.value
        changed.webhookSecret = keys.seal(Array("push".utf8), for: SecretPlace.webhook(id))
        try transaction.update(stored, to: changed, action: "change")
      }
      let receiver = WebhookReceiver(storage: fleet.storage, keys: fleet.keys)
      let body = Array(
        try TestData.lines("connectors/tesla/fleet_telemetry_accharging_typed.jsonl").joined(separator: "\n").utf8)
      for token in ["Bearer wrong", "push", ""] {
        let isTaken = try await receiver.receive(
          body, of: id, tenant: .standard, .init(authorization: token), at: fleet.clock.now)
        #expect(!isTaken)
      }
      // The second time, all lines are repeated.
      for _ in 0..<2 {
        let isTaken = try await receiver.receive(
          body, of: id, tenant: .standard, .init(authorization: "Bearer push"), at: fleet.clock.now)
        #expect(isTaken)
      }
      let entries = try await fleet.all(FuelEntry.self).map(\.value)
      #expect(entries.count == 1)
      let entry = try #require(entries.first)
      // The AC counter: 1.7191666922842423 kWh; the battery's counter is lower, because the charger has losses.
      #expect(entry.energy == .electric && entry.quantity == 1.719 && entry.unit == .kilowattHour)
      #expect(entry.vehicle == "XP7YGCEK9PB000000" && entry.at.string == "2025-01-30T13:42:16.968Z")
      #expect(try await fleet.values("odometer", of: "XP7YGCEK9PB000000").count <= 1)
    }
  }
}
