import FleetAccess
import FleetDomain
import FleetStorageTestKit
import FleetWork
import Telemetry
import TestKit
import Testing

@testable import FleetConnectors

/// Positions of phones, on both databases.
@Suite struct PhoneReceiverTests {
  /// A driver with the vehicle VAN-1, on a journey from 10:00 with a pause from 11:00 to 11:30, which ended at 12:00.
  private struct Setting {
    let fleet: ConnectedFleet
    let phone: UUIDv7
    let key: String

    static func time(_ minutes: Int) -> Timestamp {
      Timestamp(nanoseconds: (ConnectedFleet.start - 7_200_000 + Int64(minutes) * 60_000) * 1_000_000)
    }

    init(_ fleet: ConnectedFleet, isAllowed: Bool = true, isAssigned: Bool = true) async throws {
      self.fleet = fleet
      try await fleet.storage.addVehicle("VAN-1", tenant: .standard, at: fleet.clock.now)
      let secret = Secret(.phoneKey, of: "default")
      key = secret.text
      phone = try await fleet.change { transaction throws(ThingError) in
        var driver = Driver()
        driver.name = "Dora"
        let driverID = try transaction.insert(driver).id
        if isAssigned {
          var assignment = Assignment()
          (assignment.driver, assignment.vehicle, assignment.from) = (driverID, "VAN-1", Self.time(-600))
          try transaction.insert(assignment)
        }
        var journey = Journey()
        (journey.driverID, journey.vehicle, journey.status) = (driverID, "VAN-1", .completed)
        (journey.startTime, journey.endTime) = (Self.time(0), Self.time(120))
        journey.log = [
          (JourneyEvent.Event.started, 0), (.paused, 60), (.resumed, 90), (.completed, 120),
        ].enumerated().map { index, event in
          JourneyEvent(event.0, id: UUIDv7(milliseconds: 1, first: 1, rest: UInt64(index)), at: Self.time(event.1))
        }
        try transaction.insert(journey)
        var phone = Phone()
        (phone.driverID, phone.name, phone.sharesPosition) = (driverID, "Phone", isAllowed)
        phone.keyHash = secret.hash.text
        return try transaction.insert(phone).id
      }
    }

    /// Sends positions of OwnTracks at some minutes after the start of the journey.
    func report(_ minutes: [Int], accuracy: Int = 5) async throws -> PhoneReceiver.Outcome {
      let messages = minutes.map {
        #"{"_type":"location","lat":48.2,"lon":16.\#(100 + $0),"acc":\#(accuracy),"tst":\#(Self.time($0).milliseconds / 1_000)}"#
      }
      let receiver = PhoneReceiver(storage: fleet.storage, keys: fleet.keys)
      let sender = try #require(try await receiver.sender(key: key))
      return try await receiver.receive(
        json: Array("[\(messages.joined(separator: ","))]".utf8), .ownTracks, from: sender, at: fleet.clock.now)
    }
  }

  @Test(arguments: Database.allCases)
  func positions_in_a_journey_are_records_of_its_vehicle(_ database: Database) async throws {
    try await ConnectedFleet.with(database) { fleet in
      let setting = try await Setting(fleet)
      // Before the journey, in it, in its pause, after the pause, and after its end.
      let outcome = try await setting.report([-5, 0, 30, 75, 95, 120])
      #expect(outcome.stored == 3 && outcome.ignored == ["outside of a journey": 3])
      #expect(try await fleet.values("longitude", of: "VAN-1") == [16.1, 16.13, 16.195])
      let again = try await setting.report([0, 30])
      #expect(again.stored == 0 && again.ignored.isEmpty)
      let phone = try await fleet.all(Phone.self)[0].value
      #expect(phone.stored == 3 && phone.lastSeenAt == fleet.clock.now)
      #expect(phone.ignored["outside of a journey"] == .integer(3))
      let record = try #require(
        try await fleet.storage.records(.telemetry(of: "VAN-1"), tenant: .standard).items.first)
      let json = try JSON(parsing: record.body)
      #expect(json["gatewayId"] == .text("phone-\(setting.phone.string)") && json["positionSource"] == .text("phone"))
    }
  }

  @Test(arguments: Database.allCases)
  func nothing_is_stored_without_consent_or_assignment(_ database: Database) async throws {
    try await ConnectedFleet.with(database) { fleet in
      let outcome = try await Setting(fleet, isAllowed: false).report([0, 30])
      #expect(outcome.stored == 0 && outcome.ignored == ["not allowed by the driver": 2])
    }
    try await ConnectedFleet.with(database) { fleet in
      let outcome = try await Setting(fleet, isAssigned: false).report([0, 30])
      #expect(outcome.stored == 0 && outcome.ignored == ["outside of a journey": 2])
    }
  }

  @Test(arguments: Database.allCases)
  func the_better_position_is_that_of_the_gateway(_ database: Database) async throws {
    try await ConnectedFleet.with(database) { fleet in
      let setting = try await Setting(fleet)
      let line = """
        {"type":"telemetry","id":"\(UUIDv7(milliseconds: 5, first: 1, rest: 1).string)","timestamp":"\
        \(Setting.time(30).string)","timeQuality":"gps","gatewayId":"gw-1","vehicleId":"VAN-1","epoch":"\
        \(UUIDv7(milliseconds: 9, first: 9, rest: 9).string)","seq":1,"latitude":48.2,"longitude":16.5}
        """
      _ = try await fleet.storage.ingest(
        [try IncomingRecord(parsing: Array(line.utf8).span)], from: .trusted, tenant: .standard, at: fleet.clock.now)
      let outcome = try await setting.report([28, 29, 30, 31, 32])
      #expect(outcome.stored == 2 && outcome.ignored == ["the gateway has a position": 3])
      let inaccurate = try await setting.report([40], accuracy: 500)
      #expect(inaccurate.stored == 0 && inaccurate.ignored == ["not accurate enough": 1])
      #expect(try await setting.report([300]).ignored == ["time in the future": 1])
    }
  }

  @Test func only_a_phones_own_key_is_accepted() async throws {
    try await ConnectedFleet.with(.sqlite) { fleet in
      let setting = try await Setting(fleet)
      let receiver = PhoneReceiver(storage: fleet.storage, keys: fleet.keys)
      for wrong in ["", "fsp_default.00", "fsp_none.00", Secret(.gatewayKey).text, setting.key + "0"] {
        #expect(try await receiver.sender(key: wrong) == nil, "\(wrong)")
      }
      #expect(try await receiver.sender(key: setting.key)?.phone.id == setting.phone)
    }
  }

  @Test func keys_are_found_where_apps_send_them() {
    func keys(_ authorization: String?, _ parameters: [(name: String, value: String)] = [], _ json: String = "")
      -> [String]
    {
      PhoneReceiver.keys(authorization: authorization, parameters: parameters, json: Array(json.utf8))
    }
    #expect(keys("Basic dXNlcjprZXk=") == ["key", "user"] && keys("basic a2V5Og==") == ["key"])
    #expect(keys("Bearer key") == ["key"] && keys("Basic %%%") == [] && keys(nil) == [])
    #expect(keys(nil, [("lat", "1"), ("id", "key")]) == ["key"])
    #expect(keys(nil, [], #"{"device_id":"key","location":{}}"#) == ["key"])
  }
}
