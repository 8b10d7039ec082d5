import FleetDomain
import FleetStorage
import FleetStorageTestKit
import Foundation
import Logging
import Synchronization
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// The time of transactions that write, and the limit of people.
@Suite struct SlowWritesTests {
  @Test func metrics_show_the_writes_of_each_operation() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        #expect(try client.send("POST", "/api/vehicles", json: #"{"id":"CAR-1"}"#).status == 201)
        let sent = try client.send("POST", "/api/telemetry", [SampleRecord(1)].lines)
        #expect(sent.status == 200)
      }
      let writes = try await server.storage.counts().writes
      #expect(writes["createVehicle"]?.count == 1 && writes["ingest"]?.count ?? 0 >= 1)
      #expect(writes["createVehicle"].map { $0.longest > 0 && $0.longest == $0.seconds } ?? false)
    }
  }

  @Test func a_slow_write_is_reported_once() throws {
    let lines = LogLines()
    let scratch = try ScratchFolder()
    let slow = SlowWrites(
      storage: try StoredFleet(sqlite: scratch.file("fleet.db")), logger: Logger(label: "test") { _ in lines })
    var times = ["quick": WriteTimes(), "slow": WriteTimes()]
    var known: [String: Int] = [:]
    times["quick"]?.add(WriteTimes.bound)
    slow.report(times, since: &known)
    #expect(lines.texts.isEmpty)
    times["slow"]?.add(WriteTimes.bound + .milliseconds(1))
    slow.report(times, since: &known)
    slow.report(times, since: &known)
    #expect(lines.texts == ["slow: a transaction took more than 0.5 seconds; all other writes waited for it"])
    #expect(times["slow"]?.slow == 1 && times["quick"]?.slow == 0)
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_tenant_has_a_limited_number_of_people(_ database: TestServer.Database) async throws {
    try await TestServer.run(.test { $0.accounts.mostPeople = 2 }, on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        func add(_ name: String) throws -> TestClient.Reply {
          try client.send(
            "POST", "/api/people",
            json: #"{"email":"\#(name)@example.com","firstName":"Ann","lastName":"Lee","roles":["viewer"]}"#)
        }
        let first = try add("a")
        #expect(try first.status == 201 && add("b").status == 201)
        let third = try add("c")
        #expect(third.status == 409 && third.errorCode == "limitReached", "\(third.text)")
        let id = try #require(try first.json["id"] as? String)
        #expect(try client.send("DELETE", "/api/people/\(id)").status == 204)
        #expect(try add("c").status == 201)
        // Another tenant has its own people.
        #expect(
          try server.client(server.keys.foreignAdmin).send(
            "POST", "/api/people",
            json: #"{"email":"x@example.com","firstName":"Ann","lastName":"Lee","roles":["viewer"]}"#
          ).status == 201)
      }
    }
  }
}

/// A log that keeps its lines.
private final class LogLines: LogHandler, Sendable {
  private let lines = Mutex<[String]>([])

  var texts: [String] { lines.withLock { $0 } }
  var metadata: Logger.Metadata {
    get { [:] }
    set {}
  }
  var logLevel: Logger.Level {
    get { .trace }
    set {}
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { nil }
    set {}
  }

  func log(event: LogEvent) {
    let text = event.message.description
    lines.withLock { $0.append(text) }
  }
}
