import FleetAccess
import FleetDomain
import FleetProviders
import FleetStorageTestKit
import FleetWork
import Logging
import Synchronization
import Telemetry
import TestKit
import Testing

@testable import FleetConnectors

/// Sends records to a simulated program, on both databases.
@Suite struct ForwardRunnerTests {
  /// Answers with given statuses, and then with 204.
  private final class Sink: ConnectorTransport {
    private let statuses = Mutex<[Int]>([])
    private let received = Mutex<[String]>([])

    var bodies: [String] { received.withLock { $0 } }

    func answer(_ statuses: [Int]) { self.statuses.withLock { $0 = statuses } }

    func send(_ request: ProviderClient.Request) async throws(ProviderFailure) -> ProviderClient.Answer {
      let status = statuses.withLock { $0.isEmpty ? 204 : $0.removeFirst() }
      if status == 204 { received.withLock { $0.append(String(decoding: request.body ?? [], as: UTF8.self)) } }
      return .init(status: status, body: [])
    }
  }

  private static func record(_ second: Int, _ values: String) throws -> IncomingRecord {
    let time = Timestamp(nanoseconds: (ConnectedFleet.start + Int64(second) * 1_000) * 1_000_000)
    let line = """
      {"type":"telemetry","id":"\(UUIDv7(milliseconds: UInt64(time.milliseconds), first: 1, rest: UInt64(second)).string)",\
      "timestamp":"\(time.string)","timeQuality":"gps","gatewayId":"gw-1","vehicleId":"VAN-1",\
      "epoch":"\(UUIDv7(milliseconds: 9, first: 9, rest: 9).string)","seq":\(second + 1),\(values)}
      """
    return try IncomingRecord(parsing: Array(line.utf8).span)
  }

  @Test(arguments: Database.allCases)
  func records_are_sent_until_they_are_accepted(_ database: Database) async throws {
    try await ConnectedFleet.with(database) { fleet in
      let sink = Sink()
      let runner = ForwardRunner(
        storage: fleet.storage, keys: fleet.keys, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        now: { [clock = fleet.clock] in clock.now }, transport: { sink })
      func store(_ records: [IncomingRecord]) async throws {
        _ = try await fleet.storage.ingest(records, from: .trusted, tenant: .standard, at: fleet.clock.now)
      }
      func round() async throws {
        fleet.clock.advance(seconds: 120)
        try await runner.round()
      }
      // What was stored before is not sent.
      try await store([try Self.record(0, #""speed":1"#)])
      let id = try await fleet.change { transaction throws(ThingError) in
        var forward = Forward()
        (forward.name, forward.address) = ("Influx", "https://influx.example/write?db=fleet")
        let stored = try transaction.insert(forward)
        try transaction.follow(stored)
        return stored.id
      }
      try await round()
      try await store([try Self.record(1, #""speed":2"#), try Self.record(2, #""speed":3"#)])
      sink.answer([503, 429])
      try await round()
      try await round()
      #expect(sink.bodies.isEmpty)
      try await round()
      try await round()
      #expect(sink.bodies.map { $0.split(separator: "\n").count } == [2], "both, once")
      // A request that would fail again is left out.
      try await store([try Self.record(3, #""speed":4"#)])
      sink.answer([400])
      try await round()
      try await store([try Self.record(4, #""speed":5"#)])
      try await round()
      #expect(sink.bodies.count == 2 && sink.bodies[1].contains("speed=5.0"))
      let forward = try await fleet.storage.view(tenant: .standard) { view throws(ThingError) in
        try view.existing(id, Forward.self).value
      }
      #expect(forward.sent == 3 && forward.state == .working && forward.failures.count == 2)
      #expect(forward.ignored["rejected with status 400"] == .integer(1))
    }
  }

  @Test(arguments: Database.allCases)
  func records_that_waited_at_the_time_of_a_backup_are_sent_after_the_restore(_ database: Database) async throws {
    try await ConnectedFleet.with(database) { fleet in
      let sink = Sink()
      let runner = ForwardRunner(
        storage: fleet.storage, keys: fleet.keys, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        now: { [clock = fleet.clock] in clock.now }, transport: { sink })
      let id = try await fleet.change { transaction throws(ThingError) in
        var forward = Forward()
        (forward.name, forward.address) = ("Influx", "https://influx.example/write?db=fleet")
        let stored = try transaction.insert(forward)
        try transaction.follow(stored)
        return stored.id
      }
      try await runner.round()
      _ = try await fleet.storage.ingest(
        try (1...7).map { try Self.record($0, #""speed":\#($0)"#) }, from: .trusted, tenant: .standard,
        at: fleet.clock.now)
      sink.answer([503])
      fleet.clock.advance(seconds: 120)
      try await runner.round()
      try await fleet.storage.recordRestoration()
      _ = try await fleet.storage.ingest(
        [try Self.record(8, #""speed":8"#)], from: .trusted, tenant: .standard, at: fleet.clock.now)
      fleet.clock.advance(seconds: 120)
      try await runner.round()
      #expect(sink.bodies.joined(separator: "\n").split(separator: "\n").count == 8, "\(sink.bodies)")
      let forward = try await fleet.storage.view(tenant: .standard) { view throws(ThingError) in
        try view.existing(id, Forward.self).value
      }
      #expect(forward.sent == 8 && forward.ignored == .object([:]))
    }
  }

  /// A receiver in another language, which checks the signatures itself. Its first answers are an error, a rejection and a
  /// redirect; it then accepts requests.
  private static let receiver = """
    import base64, hashlib, hmac, http.server, json, sys
    key = base64.b64decode(sys.argv[1])
    answers = [500, 400, 302]
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            name, time = self.headers["webhook-id"], self.headers["webhook-timestamp"]
            code = hmac.new(key, f"{name}.{time}.".encode() + body, hashlib.sha256).digest()
            right = "v1," + base64.b64encode(code).decode()
            is_signed = right in self.headers["webhook-signature"].split(" ")
            status = answers.pop(0) if answers else 204
            values = [record["values"]["speed"] for record in json.loads(body)["data"]["records"]]
            print(status, is_signed, self.path, values, name, flush=True)
            self.send_response(status)
            self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()
        def log_message(self, *_):
            pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print("port", server.server_port, flush=True)
    server.serve_forever()
    """

  @Test(arguments: Database.allCases)
  func webhooks_are_signed_and_repeated_until_they_are_accepted(_ database: Database) async throws {
    try await ConnectedFleet.with(database) { fleet in
      let key = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
      let program = try RunningProgram("/usr/bin/python3", ["-c", Self.receiver, key])
      defer { program.kill() }
      let port = try program.line(within: .seconds(60)) { $0.hasPrefix("port ") }.text.dropFirst(5)
      let address = "http://127.0.0.1:\(port)/hook"
      let runner = ForwardRunner(
        storage: fleet.storage, keys: fleet.keys, mayUsePrivate: true,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, now: { [clock = fleet.clock] in clock.now })
      let id = try await fleet.change { [keys = fleet.keys] transaction throws(ThingError) in
        var forward = Forward()
        (forward.name, forward.format, forward.address) = ("Hook", .webhook, address)
        let stored = try transaction.insert(forward)
        try transaction.follow(stored)
        // The secret is being replaced.
        let secret = "whsec_\(String(repeating: "A", count: 32)) whsec_\(key)"
        forward.secret = keys.seal(Array(secret.utf8), for: SecretPlace.forward(stored.id))
        try transaction.update(stored, to: forward, action: "setSecret")
        return stored.id
      }
      try await runner.round()
      _ = try await fleet.storage.ingest(
        [try Self.record(1, #""speed":2"#), try Self.record(2, #""speed":3"#)], from: .trusted, tenant: .standard,
        at: fleet.clock.now)
      var lines: [String] = []
      for _ in 0..<4 {
        fleet.clock.advance(seconds: 600)
        try await runner.round()
        lines.append(try program.line(within: .seconds(60)) { _ in true }.text)
      }
      let name = try #require(lines[0].split(separator: " ").last)
      #expect(lines == ["500", "400", "302", "204"].map { "\($0) True /hook [2, 3] \(name)" })
      let forward = try await fleet.storage.view(tenant: .standard) { view throws(ThingError) in
        try view.existing(id, Forward.self).value
      }
      #expect(forward.sent == 2 && forward.state == .working && forward.failures.count == 3)
      #expect(forward.ignored == .object([:]))
      // A runner that may not use private networks sends nothing.
      let careful = ForwardRunner(
        storage: fleet.storage, keys: fleet.keys, mayUsePrivate: false,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, now: { [clock = fleet.clock] in clock.now })
      _ = try await fleet.storage.ingest(
        [try Self.record(3, #""speed":4"#)], from: .trusted, tenant: .standard, at: fleet.clock.now)
      fleet.clock.advance(seconds: 600)
      try await careful.round()
      let refused = try await fleet.storage.view(tenant: .standard) { view throws(ThingError) in
        try view.existing(id, Forward.self).value
      }
      #expect(refused.sent == 2 && refused.state == .failing, "\(refused)")
    }
  }

  /// A receiver that never answers, and one that counts its requests.
  private final class DeadAndAlive: ConnectorTransport {
    let accepted = AsyncStream<String>.makeStream()

    func send(_ request: ProviderClient.Request) async throws(ProviderFailure) -> ProviderClient.Answer {
      if request.url.contains("dead") {
        // Only the end of the runner ends this.
        try? await Task.sleep(for: .seconds(86_400))
        return .init(status: 503, body: [])
      }
      accepted.continuation.yield(String(decoding: request.body ?? [], as: UTF8.self))
      return .init(status: 204, body: [])
    }
  }

  @Test(arguments: Database.allCases)
  func a_receiver_that_does_not_answer_delays_no_other(_ database: Database) async throws {
    try await ConnectedFleet.with(database) { fleet in
      let sink = DeadAndAlive()
      let runner = ForwardRunner(
        storage: fleet.storage, keys: fleet.keys, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        now: { [clock = fleet.clock] in clock.now }, transport: { sink })
      let position = try await fleet.storage.feedPosition(tenant: .standard).rawValue
      try await fleet.change { transaction throws(ThingError) in
        for name in ["dead", "alive"] {
          var forward = Forward()
          (forward.name, forward.address) = (name, "https://\(name).example/write")
          let stored = try transaction.insert(forward)
          try transaction.follow(stored)
          let progress = try transaction.existing(stored.id, ForwardProgress.self)
          var begun = progress.value
          begun.position = position
          // The dead one is served first.
          if name == "dead" { begun.nextAt = transaction.now.adding(seconds: -60) }
          try transaction.update(progress, to: begun, action: "follow")
        }
      }
      _ = try await fleet.storage.ingest(
        [try Self.record(1, #""speed":2"#)], from: .trusted, tenant: .standard, at: fleet.clock.now)
      await withTaskGroup { group in
        group.addTask { try? await runner.run() }
        let first = await sink.accepted.stream.first { _ in true }
        #expect(first?.contains("speed=2.0") ?? false)
        group.cancelAll()
      }
    }
  }

  @Test(arguments: Database.allCases)
  func records_of_private_journeys_are_not_sent(_ database: Database) async throws {
    try await ConnectedFleet.with(database) { fleet in
      let sink = Sink()
      let runner = ForwardRunner(
        storage: fleet.storage, keys: fleet.keys, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        now: { [clock = fleet.clock] in clock.now }, transport: { sink })
      try await fleet.change { transaction throws(ThingError) in
        var forward = Forward()
        (forward.name, forward.address) = ("Influx", "https://influx.example/write?db=fleet")
        try transaction.follow(try transaction.insert(forward))
        var journey = Journey()
        (journey.vehicle, journey.purpose, journey.status) = ("VAN-1", .personal, .completed)
        journey.isConfirmed = true
        journey.startTime = Timestamp(nanoseconds: (ConnectedFleet.start + 10_000) * 1_000_000)
        journey.endTime = Timestamp(nanoseconds: (ConnectedFleet.start + 20_000) * 1_000_000)
        try transaction.insert(journey)
      }
      try await runner.round()
      _ = try await fleet.storage.ingest(
        [
          try Self.record(5, #""speed":5,"latitude":48.2,"longitude":16.4"#),
          try Self.record(15, #""speed":15,"latitude":48.3,"longitude":16.5"#),
          try Self.record(25, #""speed":25"#),
        ], from: .trusted, tenant: .standard, at: fleet.clock.now)
      fleet.clock.advance(seconds: 60)
      try await runner.round()
      let lines = sink.bodies.joined(separator: "\n").split(separator: "\n")
      #expect(lines.count == 2 && lines[0].contains("latitude=48.2") && lines[1].contains("speed=25"), "\(lines)")
    }
  }
}
