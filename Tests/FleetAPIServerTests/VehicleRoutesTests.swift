import Foundation
import TestKit
import Testing

@testable import FleetAPI

/// `/api/vehicles` and the paths below it.
@Suite struct VehicleRoutesTests {
  @Test func a_vehicle_is_added_read_replaced_and_removed() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let body = #"{"id":"Größe 1/2","vin":"WVWZZZ1JZXW000001","modelYear":2019}"#
        let added = try client.send("POST", "/api/vehicles", json: body)
        #expect(added.status == 201)
        let location = added.headers["location"] ?? ""
        #expect(location == "/api/vehicles/Gr%C3%B6%C3%9Fe%201%2F2")
        #expect(try client.send("GET", location).json["vin"] as? String == "WVWZZZ1JZXW000001")
        #expect(try client.send("GET", "/api/vehicles/WVWZZZ1JZXW000001").json["id"] as? String == "Größe 1/2")
        #expect(try client.send("POST", "/api/vehicles", json: body).status == 409)
        let replaced = try client.send("PUT", location, json: #"{"name":"Van"}"#)
        #expect(try replaced.json["name"] as? String == "Van")
        #expect(try replaced.json["modelYear"] == nil)
        #expect(try replaced.json["vin"] as? String == "WVWZZZ1JZXW000001")
        #expect(try client.send("PUT", location, json: #"{"vin":null}"#).json["vin"] == nil)
        #expect(try client.send("DELETE", location).status == 204)
        #expect(try client.send("GET", location).status == 404)
        #expect(try client.send("DELETE", location).status == 404)
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_vehicle_in_use_is_not_removed_and_its_name_inherits_nothing(_ database: TestServer.Database) async throws {
    try await JourneyRoutesTests.run(on: database) { dispatch in
      let server = dispatch.server
      let client = try server.client(server.keys.admin)
      func made(_ path: String, _ json: String) throws -> String {
        let reply = try client.send("POST", path, json: json)
        return try #require(try reply.json["id"] as? String, "\(reply.text)")
      }
      _ = try made("/api/vehicles", #"{"id":"RE-1"}"#)
      let assignment = try made("/api/assignments", #"{"driverId":"\#(dispatch.dora)","vehicleId":"RE-1"}"#)
      let journey = try dispatch.add(vehicle: "RE-1")
      for number in 0..<20 {
        _ = try made(
          "/api/service-schedules",
          #"{"vehicleId":"RE-1","serviceType":"oilChange","every":{"days":\#(number + 1)},"lastService":{"date":"2020-01-01"}}"#
        )
        _ = try made("/api/defects", #"{"vehicleId":"RE-1","text":"defect \#(number)"}"#)
      }
      let path = "/api/vehicles/RE-1"
      for (what, close) in [
        (assignment, "/api/assignments/\(assignment)/end"), (journey, "/api/journeys/\(journey)/cancel"),
      ] {
        let refused = try client.send("DELETE", path)
        #expect(refused.status == 409 && refused.errorCode == "vehicleInUse", "\(refused.text)")
        #expect(refused.errorMessage.contains(what))
        #expect(try client.send("POST", close).status == 200)
      }
      let work = try made("/api/maintenance-records", #"{"vehicleId":"RE-1","serviceType":"repair"}"#)
      #expect(try client.send("POST", "/api/maintenance-records/\(work)/start").status == 200)
      #expect(try client.send("DELETE", path).errorCode == "vehicleInUse")
      #expect(try client.send("POST", "/api/maintenance-records/\(work)/cancel").status == 200)
      #expect(try client.send("GET", "/api/service-schedules?vehicle=RE-1").list.count == 20)
      #expect(try client.send("DELETE", path, headers: ["If-Match": "\"1\""]).status == 412)
      #expect(try client.send("DELETE", path).status == 204)
      _ = try made("/api/vehicles", #"{"id":"RE-1"}"#)
      #expect(try client.send("GET", "\(path)/due").list.isEmpty)
      #expect(try client.send("GET", "/api/service-schedules?vehicle=RE-1").list.isEmpty)
      #expect(
        try client.send("GET", "/api/maintenance-records?vehicle=RE-1&status=scheduled,inProgress").list.isEmpty)
      let defects = try client.send("GET", "/api/defects?vehicle=RE-1").list
      #expect(defects.count == 20 && defects.allSatisfy { $0["status"] as? String == "dismissed" })
      let session = try server.signIn("dora@example.com")
      #expect(try server.asPage(session, "GET", path).status == 404)
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_vehicle_made_again_continues_the_history_of_its_id(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        func post(_ path: String, _ json: String) throws -> TestClient.Reply {
          let reply = try client.send("POST", path, json: json)
          #expect(reply.status == 201, "\(reply.text)")
          return reply
        }
        _ = try post("/api/vehicles", #"{"id":"RE-2"}"#)
        for (day, odometer) in [(1, 48_000), (2, 48_100)] {
          _ = try post(
            "/api/meter-readings", #"{"vehicleId":"RE-2","at":"2026-05-0\#(day)T08:00:00Z","odometer":\#(odometer)}"#)
        }
        _ = try post(
          "/api/fuel-entries",
          #"{"vehicleId":"RE-2","at":"2026-05-03T08:00:00Z","energy":"diesel","quantity":40,"odometer":48210}"#)
        let before = try client.send("GET", "/api/vehicles/RE-2").json
        #expect(before["odometer"] as? Double == 48_210)
        #expect(try client.send("DELETE", "/api/vehicles/RE-2").status == 204)
        let again = try post("/api/vehicles", #"{"id":"RE-2"}"#).json
        for key in ["odometer", "lifetimeKilometers", "dailyKilometers"] {
          #expect(again[key] as? Double == before[key] as? Double, "\(key)")
        }
        #expect(again["odometerAt"] as? String == "2026-05-03T08:00:00.000Z" && again["engineHours"] == nil)
        // The next reading is compared with the value that the vehicle shows.
        let next = try post(
          "/api/meter-readings", #"{"vehicleId":"RE-2","at":"2026-05-04T08:00:00Z","odometer":48300}"#
        ).json
        #expect((next["comparison"] as? [String: Any])?["previous"] as? Double == 48_210, "\(next)")
        #expect(try client.send("GET", "/api/vehicles/RE-2").json["odometer"] as? Double == 48_300)
        #expect(try client.send("GET", "/api/fuel-entries?vehicle=RE-2").list.count == 1)
      }
    }
  }

  @Test func a_vehicle_that_was_read_can_be_written_back_unchanged() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let record = SampleRecord(1, rest: #""vin":"WVWZZZ1JZXW000001""#)
        _ = try server.client(server.keys.gateway).send("POST", "/api/telemetry", [record].lines)
        for path in ["/api/vehicles/VAN-1", "/api/vehicles/WVWZZZ1JZXW000001", "/api/gateways/gw-1"] {
          let read = try client.send("GET", path)
          let put = try client.send("PUT", path, json: read.text)
          #expect(put.status == 200 && put.text == read.text, "\(put.text)")
        }
        #expect(try client.send("GET", "/api/vehicles/VAN-1").json.keys.contains("lastRecordAt"))
        for path in ["/api/vehicles/VAN-1", "/api/gateways/gw-1"] {
          let other = try client.send("PUT", path, json: #"{"id":"VAN-9","vehicles":[]}"#)
          #expect(other.status == 422 && other.text.contains("cannot be changed"), "\(other.text)")
        }
      }
    }
  }

  @Test func an_unknown_key_is_answered_with_each_known_key_once() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let reply = try client.send("PUT", "/api/vehicles/VAN-1", json: #"{"colour":"red"}"#)
        #expect(reply.status == 422)
        let known = "id, vin, name, make, model, modelYear, licencePlate, registrationNumber, type, fuelType"
        #expect(reply.errorMessage.contains("known here: \(known), "), "\(reply.errorMessage)")
        let names = try #require(reply.errorMessage.split(separator: "known here: ").last).split(separator: ", ")
        #expect(Set(names).count == names.count && names.count > 20)
      }
    }
  }

  @Test(arguments: [
    (#"{"id":"A","vim":"x"}"#, 422, "did you mean \"vin\""), (#"{"id":""}"#, 422, "1 to 128 bytes"),
    (#"{"id":"A","vin":"WVWZZZ1JZXW00000I"}"#, 422, "17 of"), (#"{"id":7}"#, 422, "a text"),
    (#"{"name":"x"}"#, 422, "id: expected a value"), ("{", 400, "1:2"), ("[]", 422, "an object"),
    (#"{"id":"a\u0000b"}"#, 422, "control characters"), (#"{"id":"A","name":"a\u202Eb"}"#, 422, "invisible ones"),
    (#"{"id":"A","make":"a\u200Bb"}"#, 422, "invisible ones"), (#"{"id":"A","model":"a\u2066b"}"#, 422, "invisible"),
    (#"{"id":"A","licencePlate":"a\uFEFFb"}"#, 422, "1 to 32 bytes without control characters or invisible ones"),
  ])
  func an_invalid_vehicle_is_rejected_with_the_expected_value(_ body: String, _ status: Int, _ message: String)
    async throws
  {
    try await TestServer.run { server in
      try await runBlocking {
        let reply = try server.client(server.keys.admin).send("POST", "/api/vehicles", json: body)
        #expect(reply.status == status)
        #expect(reply.errorMessage.contains(message), "\(reply.errorMessage)")
      }
    }
  }

  @Test func lists_continue_after_their_cursor() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        for number in 10..<35 { _ = try client.send("POST", "/api/vehicles", json: #"{"id":"N-\#(number)"}"#) }
        let pages = try client.pages("/api/vehicles?limit=10")
        #expect(pages.map(\.count) == [10, 10, 7])
        let found = pages.joined().map { $0["id"] as? String }
        #expect(found == (10..<35).map { "N-\($0)" } + ["VAN-1", "VAN-2"])
      }
    }
  }

  @Test(arguments: [
    "limit=0", "limit=x", "limit=1001", "limit=0x10", "limit=%2B5", "limit=1e2", "from=0x10", "to=1767225600",
    "cursor=%00", "from=yesterday", "nonsense=1", "limit=1&limit=2", "to=%ZZ",
  ])
  func an_invalid_query_is_rejected_with_the_expected_value(_ query: String) async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let reply = try server.client(server.keys.admin).send("GET", "/api/events?\(query)")
        #expect(reply.status == 400)
        #expect(reply.errorMessage.hasPrefix("query:"), "\(reply.errorMessage)")
      }
    }
  }
}

/// Ranges of times in queries.
@Suite struct TimeRangeTests {
  @Test func a_range_that_ends_before_it_begins_is_rejected() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let lists = ["telemetry", "trips", "dtcs", "events"]
        for path in lists.map({ "/api/vehicles/VAN-1/\($0)" }) + lists.dropFirst().map({ "/api/\($0)" }) {
          let reply = try client.send("GET", "\(path)?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z")
          #expect(reply.status == 400, "\(path)")
          #expect(
            reply.errorMessage
              == #"query: to: expected a time that is not before from, "2026-01-02T00:00:00Z", found "2026-01-01T00:00:00Z""#
          )
          let empty = try client.send("GET", "\(path)?from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:00Z")
          #expect(empty.status == 200 && empty.list.isEmpty, "\(path)")
          // Days in place of times: the last one is included.
          #expect(try client.send("GET", "\(path)?from=2026-01-01&to=2026-01-01").status == 200, "\(path)")
          for wrong in ["from=2026-01-02&to=2026-01-01", "from=9999-01-01", "to=0001-01-01"] {
            #expect(try client.send("GET", "\(path)?\(wrong)").status == 400, "\(path) \(wrong)")
          }
        }
      }
    }
  }
}

/// Stored records are returned: selected by time, reduced to fields, or down-sampled.
@Suite struct RecordRoutesTests {
  @Test func telemetry_is_cut_by_time_fields_and_pages() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        _ = try server.client(server.keys.gateway).send(
          "POST", "/api/telemetry", (0..<100).map { SampleRecord($0 + 1, second: $0) }.lines)
        let client = try server.client(server.keys.readOnly)
        let base = "/api/vehicles/VAN-1/telemetry"
        let window = try client.send(
          "GET", "\(base)?from=2026-01-01T00:00:10Z&to=2026-01-01T00:00:20Z&fields=rpm,seq")
        #expect(window.integers("seq") == Array(11...20))
        #expect(window.list.allSatisfy { $0.keys.sorted() == ["id", "rpm", "seq", "timestamp"] })
        let pages = try client.pages("\(base)?limit=30")
        #expect(pages.joined().map { $0["seq"] as? Int } == Array(1...100))
        let thin = try client.send("GET", "\(base)?every=10")
        #expect(thin.integers("seq") == Array(stride(from: 10, through: 100, by: 10)))
        #expect(try client.send("GET", "\(base)?every=10.0").integers("seq").count == 10)
        for wrong in ["0x10", "1e1", "+10", "-1", "inf", "nan", "0", "1.2.3", "."] {
          #expect(try client.send("GET", "\(base)?every=\(wrong)").status == 400, "\(wrong)")
        }
      }
    }
  }

  @Test func each_list_has_its_types_the_newest_first() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let types = ["trip", "dtc", "driving", "geofence", "adapter", "gap", "telemetry", "trip"]
        let records = types.enumerated().map { SampleRecord($0 + 1, type: $1) }
        _ = try server.client(server.keys.gateway).send("POST", "/api/telemetry", records.lines)
        let other = [SampleRecord(9, type: "trip", vehicle: "VAN-2", gateway: "gw-2")]
        _ = try server.client(server.keys.otherGateway).send("POST", "/api/telemetry", other.lines)
        let client = try server.client(server.keys.readOnly)
        func seqs(_ path: String) throws -> [Int?] { try client.send("GET", path).list.map { $0["seq"] as? Int } }
        #expect(try seqs("/api/vehicles/VAN-1/trips") == [8, 1])
        #expect(try seqs("/api/trips") == [9, 8, 1])
        #expect(try seqs("/api/dtcs") == [2])
        #expect(try seqs("/api/vehicles/VAN-1/events") == [6, 5, 4, 3])
        #expect(try seqs("/api/trips?vehicle=VAN-1") == [8, 1])
        #expect(try seqs("/api/trips?vehicle=VAN-2") == [9])
        #expect(try seqs("/api/events?vehicle=VAN-1&type=gap,driving") == [6, 3])
        #expect(try seqs("/api/vehicles/VAN-1/events?type=geofence") == [4])
        #expect(try client.pages("/api/events?type=driving,gap&limit=1").joined().map { $0["seq"] as? Int } == [6, 3])
        #expect(try client.send("GET", "/api/trips?vehicle=none").status == 404)
        for wrong in ["events?type=trip", "events?type=", "events?vehicle=", "trips?type=trip", "dtcs?vehicle=%00"] {
          #expect(try client.send("GET", "/api/\(wrong)").status == 400, "\(wrong)")
        }
      }
    }
  }

  @Test func the_latest_state_contains_the_newest_record_of_each_type() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let records = [
          SampleRecord(1, rest: #""latitude":48.1,"longitude":11.5"#), SampleRecord(2), SampleRecord(3, type: "trip"),
        ]
        _ = try server.client(server.keys.gateway).send("POST", "/api/telemetry", records.lines)
        let latest = try server.client(server.keys.readOnly).send("GET", "/api/vehicles/VAN-1/latest").json
        func seq(_ name: String) -> Int? { (latest[name] as? [String: Any])?["seq"] as? Int }
        #expect((latest["vehicle"] as? [String: Any])?["id"] as? String == "VAN-1")
        #expect(seq("telemetry") == 2)
        #expect(seq("position") == 1)
        #expect(seq("trip") == 3)
        #expect(latest["dtc"] == nil)
      }
    }
  }

  /// One ECU reports a trouble code and that its lamp is on. Another ECU, which answers later, reports none. The answer
  /// has both.
  @Test func the_newest_trouble_codes_of_each_ecu_are_there() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let records = [
          SampleRecord(1, type: "dtc", rest: #""ecu":"7E8","dtcCodes":["P0456"],"mil":true"#),
          SampleRecord(2, type: "dtc", rest: #""ecu":"7E9","dtcCodes":[],"mil":false"#),
          SampleRecord(3, type: "monitors", rest: #""ecu":"7E8""#),
        ]
        _ = try server.client(server.keys.gateway).send("POST", "/api/telemetry", records.lines)
        let latest = try server.client(server.keys.readOnly).send("GET", "/api/vehicles/VAN-1/latest").json
        let codes = latest["dtc"] as? [[String: Any]] ?? []
        #expect(codes.map { $0["ecu"] as? String } == ["7E8", "7E9"])
        #expect(codes.map { $0["mil"] as? Bool } == [true, false])
        #expect(codes.first?["dtcCodes"] as? [String] == ["P0456"])
        #expect((latest["monitors"] as? [[String: Any]])?.count == 1)
      }
    }
  }

  @Test func an_implausible_time_is_marked() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let line = SampleRecord(1).line.replacing(/"timestamp":"[^"]*"/, with: #""timestamp":"2261-01-01T00:00:00Z""#)
        let answer = try server.client(server.keys.gateway).send("POST", "/api/telemetry", Array(line.utf8))
        #expect(try answer.json["stored"] as? Int == 1)
        let client = try server.client(server.keys.readOnly)
        let record = try client.send("GET", "/api/vehicles/VAN-1/telemetry").list.first
        #expect(record?["timestamp"] as? String == "2261-01-01T00:00:00Z")
        #expect(record?["timeAhead"] as? Bool == true)
        #expect((record?["receivedAt"] as? String)?.hasSuffix("Z") == true)
        #expect(try client.send("GET", "/api/vehicles/VAN-1/latest").json["telemetry"] == nil)
        let vehicle = try client.send("GET", "/api/vehicles/VAN-1").json
        #expect(vehicle["lastRecordAt"] == nil)
      }
    }
  }
}
