import FleetDomain
import FleetStorageTestKit
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Journeys, their commands, and what follows from them, on both databases.
@Suite struct JourneyRoutesTests {
  struct Dispatch: Sendable {
    let server: TestServer
    /// The driver Dora, who can sign in as dora@example.com.
    let dora: String

    func command(_ id: String, _ name: String, _ body: String? = nil, as session: String? = nil) throws
      -> TestClient.Reply
    {
      let path = "/api/journeys/\(id)/\(name)"
      if let session { return try server.asPage(session, "POST", path, body) }
      let client = try server.client(server.keys.admin)
      return try body.map { try client.send("POST", path, json: $0) } ?? client.send("POST", path)
    }

    func journey(_ id: String) throws -> [String: Any] {
      try server.client(server.keys.admin).send("GET", "/api/journeys/\(id)").json
    }

    func driverStatus() throws -> String? {
      try server.client(server.keys.admin).send("GET", "/api/drivers/\(dora)").json["status"] as? String
    }

    /// Adds a journey of Dora.
    func add(_ more: String = "", vehicle: String = "VAN-1") throws -> String {
      let reply = try server.client(server.keys.admin).send(
        "POST", "/api/journeys", json: #"{"driverId":"\#(dora)","vehicleId":"\#(vehicle)"\#(more)}"#)
      guard let id = try reply.json["id"] as? String else { throw TestClient.Failure(description: reply.text) }
      return id
    }
  }

  static func run(
    on database: TestServer.Database, _ body: @escaping @Sendable (Dispatch) throws -> Void
  ) async throws {
    try await TestServer.run(on: database) { server in
      let person = try await server.addPerson("dora@example.com", [.driver])
      try await runBlocking {
        let made = try server.client(server.keys.admin).send(
          "POST", "/api/drivers", json: #"{"name":"Dora","personId":"\#(person.id.string)"}"#)
        try body(Dispatch(server: server, dora: try #require(try made.json["id"] as? String)))
      }
    }
  }

  /// Each command writes the log, so that its length determines the cost of a command.
  @Test(arguments: TestServer.Database.allCases)
  func a_log_has_a_limit_and_its_history_only_the_changes(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { dispatch in
      let id = try dispatch.add()
      let client = try dispatch.server.client(dispatch.server.keys.admin)
      let notes = String(repeating: "x", count: 3_000)
      for number in 0..<21 {
        let reply = try dispatch.command(id, "incident", #"{"notes":"\#(notes)"}"#)
        #expect(reply.status == 200, "\(number) \(reply.text)")
      }
      // 65,536 bytes of notes are allowed.
      let refused = try dispatch.command(id, "incident", #"{"notes":"\#(notes)"}"#)
      #expect(refused.status == 409 && refused.errorCode == "logFull", "\(refused.text)")
      #expect(try dispatch.command(id, "incident", #"{"notes":"\#(notes.prefix(2_536))"}"#).status == 200)
      #expect(try dispatch.command(id, "incident", #"{"notes":"x"}"#).errorCode == "logFull")
      // A command without notes is still possible, and the history has only its entry.
      let last = try dispatch.command(id, "incident")
      #expect(last.status == 200 && last.body.count < 80_000, "\(last.body.count)")
      let entry = try client.send("GET", "/api/audit?thing=\(id)&limit=1")
      #expect(entry.text.contains(#""from":22"#) && entry.body.count < 2_000, "\(entry.body.count)")
      // The older versions are still known: a change of another field is merged.
      let merged = try client.send(
        "PATCH", "/api/journeys/\(id)", json: #"{"notes":"new"}"#, headers: ["If-Match": #""2""#])
      #expect(try merged.status == 200 && (merged.json["log"] as? [Any])?.count == 23, "\(merged.text)")
    }
  }

  /// Otherwise, the driver would stay on the trip, and the vehicle could not be retired.
  @Test(arguments: TestServer.Database.allCases)
  func a_journey_with_a_full_log_can_end_once(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { dispatch in
      let client = try dispatch.server.client(dispatch.server.keys.admin)
      let notes = String(repeating: "x", count: 4_000)
      func full(_ first: String?, vehicle: String) throws -> String {
        let id = try dispatch.add(vehicle: vehicle)
        if let first { #expect(try dispatch.command(id, first).status == 200) }
        // 65,536 bytes of notes are allowed.
        for _ in 0..<16 { #expect(try dispatch.command(id, "incident", #"{"notes":"\#(notes)"}"#).status == 200) }
        #expect(try dispatch.command(id, "incident", #"{"notes":"\#(notes)"}"#).errorCode == "logFull")
        return id
      }
      let driven = try full("start", vehicle: "VAN-1")
      let done = try dispatch.command(driven, "complete", #"{"notes":"\#(notes)"}"#)
      #expect(try done.status == 200 && done.json["status"] as? String == "completed", "\(done.text.prefix(300))")
      // A command of an app that was offline is stored although the journey has ended, but only if there is room.
      let late = try dispatch.command(
        driven, "complete",
        #"{"id":"01970000-0000-7000-8000-000000000001","at":"2026-01-01T00:00:00Z","notes":"\#(notes)"}"#)
      #expect(late.status == 409 && late.errorCode == "logFull", "\(late.text.prefix(300))")
      let planned = try full(nil, vehicle: "VAN-1")
      let underway = try full("start", vehicle: "VAN-1")
      #expect(try client.send("POST", "/api/vehicles/VAN-1/retire").status == 200)
      #expect(try dispatch.journey(planned)["status"] as? String == "cancelled")
      let last = (try dispatch.journey(underway)["log"] as? [[String: Any]])?.last
      #expect(last?["event"] as? String == "completed" && last?["notes"] as? String == "the vehicle was retired")
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_driver_makes_a_journey_with_the_assigned_vehicle(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { dispatch in
      let server = dispatch.server
      let session = try server.signIn("dora@example.com")
      let made = try server.asPage(
        session, "POST", "/api/journeys", #"{"vehicleId":"VAN-1","plannedFrom":"2030-01-01T08:00:00Z"}"#)
      #expect(made.status == 201 && made.text.contains(dispatch.dora), "\(made.text)")
      let id = try #require(try made.json["id"] as? String)
      #expect(try made.json["status"] as? String == "planned")
      let early = try dispatch.command(id, "start", as: session)
      #expect(early.status == 409 && early.errorCode == "notAssigned", "\(early.text)")
      let client = try server.client(server.keys.admin)
      #expect(
        try client.send("POST", "/api/assignments", json: #"{"driverId":"\#(dispatch.dora)","vehicleId":"VAN-1"}"#)
          .status
          == 201)
      let started = try dispatch.command(id, "start", #"{"odometer":48210}"#, as: session)
      #expect(started.status == 200, "\(started.text)")
      #expect(try started.json["status"] as? String == "inProgress" && started.json["startOdometer"] as? Int == 48210)
      #expect(try dispatch.driverStatus() == "onTrip")
      // Drivers cannot leave the state during a journey.
      let any = ["If-Match": "*"]
      let path = "/api/drivers/\(dispatch.dora)"
      #expect(
        try server.asPage(session, "PATCH", path, #"{"status":"available"}"#, headers: any).json["status"] as? String
          == "onTrip")
      for (other, code) in [("VAN-1", "journeyInProgress"), ("VAN-2", "notAssigned")] {
        let second = try server.asPage(session, "POST", "/api/journeys", #"{"vehicleId":"\#(other)"}"#)
        let reply = try dispatch.command(try #require(try second.json["id"] as? String), "start", as: session)
        #expect(reply.status == 409 && reply.errorCode == code, "\(reply.text)")
      }
      #expect(try dispatch.command(id, "resume", as: session).errorCode == "invalidState")
      #expect(try dispatch.command(id, "pause", as: session).json["status"] as? String == "paused")
      #expect(try dispatch.command(id, "incident", #"{"notes":"flat tyre"}"#, as: session).status == 200)
      #expect(try dispatch.command(id, "resume", as: session).json["status"] as? String == "inProgress")
      #expect(try dispatch.command(id, "complete", #"{"odometer":48000}"#, as: session).status == 422)
      let done = try dispatch.command(id, "complete", #"{"odometer":48300.5}"#, as: session)
      #expect(try done.json["status"] as? String == "completed" && done.json["endOdometer"] as? Double == 48300.5)
      #expect(try dispatch.driverStatus() == "available")
      let again = try dispatch.command(id, "complete", as: session)
      #expect(
        again.status == 409 && again.errorCode == "invalidState"
          && again.text.contains(#""allowedFrom":["inProgress","paused"]"#), "\(again.text)")
      let events = (try dispatch.journey(id)["log"] as? [[String: Any]])?.compactMap { $0["event"] as? String }
      #expect(events == ["started", "paused", "incident", "resumed", "completed"])
      #expect(try client.send("PATCH", path, json: #"{"status":"onTrip"}"#, headers: any).status == 422)
      #expect(try dispatch.command(id, "review", as: session).status == 403)
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_driver_cannot_end_a_doubt_by_a_correction(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { dispatch in
      let server = dispatch.server
      let client = try server.client(server.keys.admin)
      let session = try server.signIn("dora@example.com")
      let assigned = try client.send(
        "POST", "/api/assignments",
        json:
          #"{"driverId":"\#(dispatch.dora)","vehicleId":"VAN-1","from":"2026-05-10T08:00:00Z","to":"2026-05-10T18:00:00Z"}"#
      )
      #expect(assigned.status == 201, "\(assigned.text)")
      let inside = #"{"startTime":"2026-05-10T09:00:00Z","endTime":"2026-05-10T10:00:00Z"}"#
      let outside = #"{"startTime":"2026-05-05T09:00:00Z","endTime":"2026-05-15T10:00:00Z"}"#
      let made = try server.asPage(
        session, "POST", "/api/journeys", #"{"vehicleId":"VAN-1",\#(inside.dropFirst())"#)
      #expect(made.status == 201, "\(made.text)")
      let id = try #require(try made.json["id"] as? String)
      func change(_ body: String, isDriver: Bool = true) throws {
        let (path, any) = ("/api/journeys/\(id)", ["If-Match": "*"])
        let reply =
          isDriver
          ? try server.asPage(session, "PATCH", path, body, headers: any)
          : try client.send("PATCH", path, json: body, headers: any)
        #expect(reply.status == 200, "\(reply.text)")
      }
      func needsReview() throws -> Bool? { try dispatch.journey(id)["needsReview"] as? Bool }
      func start() throws -> [String: Any]? { (try dispatch.journey(id)["log"] as? [[String: Any]])?.first }
      #expect(try needsReview() == false)
      try change(outside)
      #expect(try needsReview() == true)
      #expect(try start()?["assigned"] as? Bool == false && start()?["doubt"] as? String == "notAssigned")
      #expect(try client.send("GET", "/api/journeys?needsReview=true").list.count == 1)
      // A correction by another person to the time of the assignment ends the doubt, and the other way round.
      try change(inside, isDriver: false)
      #expect(try needsReview() == false)
      try change(outside, isDriver: false)
      #expect(try needsReview() == true)
      // A review ends only if the driver changes the times or the purpose.
      for (body, isDriver, isReviewed) in [
        (#"{"notes":"late"}"#, true, true), (#"{"purpose":"commute"}"#, false, true),
        (#"{"purpose":"private"}"#, true, false), (#"{"endTime":"2026-05-15T11:00:00Z"}"#, true, false),
      ] {
        #expect(try dispatch.command(id, "review").status == 200)
        #expect(try needsReview() == false)
        try change(body, isDriver: isDriver)
        #expect(try needsReview() == !isReviewed, "\(body)")
        #expect(try start()?["reviewed"] as? Bool == (isReviewed ? true : nil), "\(body)")
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_stored_command_is_never_lost(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { dispatch in
      let id = try dispatch.add()
      func queued(_ name: String, _ number: UInt64, _ minute: Int, _ more: String = "") throws -> TestClient.Reply {
        let key = UUIDv7(milliseconds: 1, first: 0, rest: number).string
        return try dispatch.command(id, name, #"{"id":"\#(key)","at":"2026-05-04T10:\#(minute):00Z"\#(more)}"#)
      }
      // The end arrives first: nothing has begun yet.
      let end = try queued("complete", 3, 50, #","odometer":150"#)
      #expect(try end.status == 200 && end.json["needsReview"] as? Bool == true, "\(end.text)")
      #expect(try end.json["status"] as? String == "planned")
      #expect(try queued("start", 1, 10, #","odometer":100"#).json["status"] as? String == "completed")
      // The same again is the same.
      #expect(try queued("start", 1, 10, #","odometer":100"#).json["log"] as? [[String: AnyHashable]] != nil)
      #expect(try queued("start", 1, 11).status == 409)
      let late = try queued("pause", 4, 55)
      #expect(try late.status == 200 && late.json["needsReview"] as? Bool == true)
      let journey = try dispatch.journey(id)
      #expect(journey["startTime"] as? String == "2026-05-04T10:10:00.000Z" && journey["endOdometer"] as? Int == 150)
      let log = try #require(journey["log"] as? [[String: Any]])
      #expect(log.map { $0["event"] as? String } == ["started", "completed", "paused"])
      #expect(log.map { $0["doubt"] as? String } == [nil, nil, "invalidState"])
      #expect(
        try dispatch.server.client(dispatch.server.keys.admin).send("GET", "/api/journeys?needsReview=true").list.count
          == 1)
      #expect(try dispatch.command(id, "review").json["needsReview"] as? Bool == false)
      #expect(
        try dispatch.command(id, "pause", #"{"id":"019d0000-0000-7000-8000-000000000000"}"#).status == 422,
        "a stored command needs its time")
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_journey_can_be_declared_afterwards_and_corrected(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { dispatch in
      let client = try dispatch.server.client(dispatch.server.keys.admin)
      let id = try dispatch.add(
        #","purpose":"private","startTime":"2026-05-04T10:00:00Z","startOdometer":100,"endTime":"2026-05-04T11:00:00Z","endOdometer":160"#
      )
      #expect(try dispatch.journey(id)["status"] as? String == "completed")
      let any = ["If-Match": "*"]
      let path = "/api/journeys/\(id)"
      let corrected = try client.send("PATCH", path, json: #"{"endOdometer":170}"#, headers: any)
      #expect(try corrected.json["endOdometer"] as? Int == 170 && corrected.text.contains(#""odometer":170"#))
      for wrong in [#"{"endOdometer":99}"#, #"{"endTime":"2026-05-04T09:00:00Z"}"#, #"{"startTime":null}"#] {
        #expect(try client.send("PATCH", path, json: wrong, headers: any).status == 422, "\(wrong)")
      }
      let planned = try dispatch.add()
      #expect(
        try client.send("PATCH", "/api/journeys/\(planned)", json: #"{"startOdometer":5}"#, headers: any).status == 422)
      #expect(try dispatch.command(planned, "cancel").json["status"] as? String == "cancelled")
      #expect(
        try client.send("PATCH", "/api/journeys/\(planned)", json: #"{"notes":"x"}"#, headers: any).errorCode
          == "invalidState")
      for wrong in [
        #","endTime":"2026-05-04T10:00:00Z""#, #","startTime":"2026-05-04T10:00:00Z","endOdometer":5"#,
        #","startTime":"2026-05-04T10:00:00Z","endTime":"2026-05-04T09:00:00Z""#, #","log":[]"#,
      ] {
        #expect(throws: TestClient.Failure.self) { try dispatch.add(wrong) }
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func evidence_shows_who_drove(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { dispatch in
      let client = try dispatch.server.client(dispatch.server.keys.admin)
      let emil = try #require(try client.send("POST", "/api/drivers", json: #"{"name":"Emil"}"#).json["id"] as? String)
      #expect(
        try client.send(
          "POST", "/api/assignments",
          json:
            #"{"driverId":"\#(emil)","vehicleId":"VAN-1","from":"2026-01-01T00:00:00Z","to":"2026-01-02T00:00:00Z"}"#
        ).status == 201)
      let journey = try dispatch.add(
        #","startTime":"2026-01-01T00:10:00Z","startOdometer":100,"endTime":"2026-01-01T01:00:00Z","endOdometer":160"#)
      _ = try dispatch.add(
        #","startTime":"2026-01-01T03:00:00Z","startOdometer":165,"endTime":"2026-01-01T04:00:00Z","endOdometer":170"#)
      func trip(_ number: Int, _ from: Int, _ to: Int) -> String {
        func time(_ minute: Int) -> String {
          TextOf.time(Timestamp(nanoseconds: SampleRecord.start + Int64(minute) * 60_000_000_000))
        }
        return SampleRecord(
          number, type: "trip", second: to * 60,
          rest:
            #""tripId":"0193e0f2-7c11-7a5e-8f3b-2d1c0b9a8877","event":"end","startTime":"\#(time(from))","endTime":"\#(time(to))","distance":\#(to - from)"#
        ).line
      }
      let stored = try client.send(
        "POST", "/api/telemetry", Array("\(trip(1, 12, 30))\n\(trip(2, 90, 100))\n".utf8),
        headers: ["Content-Type": "application/x-ndjson"])
      #expect(stored.status == 200 && stored.text.contains(#""stored":2"#), "\(stored.text)")
      func driver(_ time: String) throws -> (id: String?, evidence: [String]) {
        let json = try client.send("GET", "/api/vehicles/VAN-1/driver?at=2026-01-01T\(time):00Z").json
        let evidence = json["evidence"] as? [[String: Any]] ?? []
        return (json["driverId"] as? String, evidence.compactMap { $0["kind"] as? String })
      }
      #expect(try driver("00:20") == (dispatch.dora, ["journey", "assignment", "trip"]))
      #expect(try driver("00:45") == (dispatch.dora, ["journey", "assignment"]))
      #expect(try driver("01:00") == (emil, ["assignment"]))
      #expect(try client.send("GET", "/api/vehicles/VAN-1/driver?at=2025-01-01T00:00:00Z").json["driverId"] == nil)

      let reply = try client.send(
        "GET", "/api/vehicles/VAN-1/reconciliation?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z")
      let matched = try #require(try reply.json["matched"] as? [[String: Any]])
      #expect(matched.map { $0["journeyId"] as? String } == [journey], "\(reply.text)")
      #expect((try reply.json["unclaimedTrips"] as? [Any])?.count == 1)
      #expect(try reply.json["unclaimedKilometers"] as? Int == 10)
      #expect((try reply.json["journeysWithoutTrip"] as? [Any])?.count == 1)
      let gaps = try #require(try reply.json["odometerGaps"] as? [[String: Any]])
      #expect(gaps.map { $0["kilometers"] as? Int } == [5])
      #expect(
        try client.send(
          "GET", "/api/vehicles/VAN-1/reconciliation?from=2024-01-01T00:00:00Z&to=2026-01-02T00:00:00Z"
        ).status == 400)
    }
  }
}
