import Foundation
import TestKit
import Testing

/// The whole way: adapter, daemon, spool, HTTP, fleet store; daemon and server killed at any moment.
@Suite struct FleetTests {
  /// A simulated car, a daemon's folder and a fleet store.
  private final class Fleet {
    let folder: ScratchFolder
    let adapter: SimulatedAdapter
    let port: ReservedPort
    private let gateway: String
    private let store: String

    init() throws {
      gateway = try #require(try Tool.obdgated)
      store = try #require(try Tool.fleetstore)
      folder = try ScratchFolder()
      port = try ReservedPort()
      adapter = try SimulatedAdapter(.tcp(0), scenario: Scenarios.car(), in: folder.path)
      try FileManager.default.createDirectory(atPath: folder.file("state"), withIntermediateDirectories: true)
      try configure(#"[{"tcp": "\#(adapter.name)"}]"#)
    }

    deinit { adapter.stop() }

    func configure(_ adapters: String) throws {
      _ = try folder.write(
        "gateway.json",
        """
        {"gatewayId": "gw-test", "adapters": \(adapters), "discovery": {"serial": false, "bluetooth": false},
         "poll": {"defaultPeriod": 0.05}, "record": {"period": 0.05}, "spool": {"commitPeriod": 0.2},
         "stateDirectory": "state",
         "sinks": [{"type": "fleetStore", "url": "http://127.0.0.1:\(port.number)/api", "tokenFile": "key",
                    "batch": {"records": 20, "seconds": 0.2}}]}
        """)
    }

    func startDaemon() throws -> RunningProgram {
      try RunningProgram(gateway, ["--config", folder.file("gateway.json")])
    }

    func startStore() throws -> RunningProgram {
      let server = try RunningProgram(
        store, ["serve", "--listen", "127.0.0.1:\(port.number)", "--database", "sqlite:\(folder.file("fleet.db"))"])
      try server.errorLine(within: .seconds(60)) { $0.contains("listening on") }
      return server
    }

    /// Registers the gateway; its key goes into the file that the daemon reads, `token` is the administrator's.
    func register(token: String) throws {
      let made = try Tool.run(
        store, ["gateway", "add", "gw-test", "--database", "sqlite:\(folder.file("fleet.db"))"])
      try #require(made.status == 0, "\(made.errors)")
      for (name, secret) in [("key", made.output), ("header", "Authorization: Bearer \(token)\n")] {
        let isMade = FileManager.default.createFile(
          atPath: folder.file(name), contents: Data(secret.utf8), attributes: [.posixPermissions: 0o600])
        try #require(isMade)
      }
    }

    /// All records that the store has, page by page.
    func stored() throws -> [KeptRecord] {
      let vehicles = try pages("/vehicles").compactMap { $0["id"] as? String }
      var records: [[String: Any]] = []
      for vehicle in vehicles {
        for kind in ["telemetry", "trips", "dtcs", "events"] { records += try pages("/vehicles/\(vehicle)/\(kind)") }
      }
      return try records.map { record in
        try KeptRecord(String(decoding: JSONSerialization.data(withJSONObject: record), as: UTF8.self))
      }
    }

    private func pages(_ path: String) throws -> [[String: Any]] {
      var all: [[String: Any]] = []
      var next: String?
      repeat {
        let query = next.map { "&cursor=\($0)" } ?? ""
        let url = "http://127.0.0.1:\(port.number)/api\(path)?limit=1000\(query)"
        let answer = try Tool.run(
          try #require(try Tool.required("curl")), ["-sS", "--fail-with-body", "-H", "@\(folder.file("header"))", url])
        try #require(answer.status == 0, "\(url): \(answer.errors) \(answer.output)")
        let page = try #require(try JSONSerialization.jsonObject(with: Data(answer.stdout)) as? [String: Any])
        all += try #require(page["data"] as? [[String: Any]])
        next = page["next"] as? String
      } while next != nil
      return all
    }

    func committed(isLive: Bool = false) throws -> Set<String> {
      try KeptRecord.committed(in: folder.file("state"), isLive: isLive)
    }
  }

  @Test func every_committed_record_is_in_the_store_once_whoever_is_killed() async throws {
    let rounds = Int(ProcessInfo.processInfo.environment["FLEET_KILLS"] ?? "") ?? 16
    try await aside { try Self.killed(rounds) }
  }

  private static func killed(_ rounds: Int) throws {
    let fleet = try Fleet()
    var server = try fleet.startStore()
    defer { server.kill() }
    try fleet.register(token: try server.line(within: .seconds(20)) { !$0.isEmpty }.text)
    var daemon = try fleet.startDaemon()
    defer { daemon.kill() }
    var committed: Set<String> = []
    for round in 0..<rounds {
      // Until something is on its way again.
      let before = committed.count
      let deadline = ContinuousClock.now + .seconds(60)
      while committed.count < before + 20, .now < deadline {
        committed.formUnion(try fleet.committed(isLive: true))
      }
      try #require(committed.count >= before + 20, "\(daemon.errorLines.suffix(5)) \(server.errorLines.suffix(5))")
      poll(nil, 0, Int32.random(in: 0...300))
      if round % 2 == 0 {
        daemon.kill()
        committed.formUnion(try fleet.committed())
        daemon = try fleet.startDaemon()
      } else {
        server.kill()
        server = try fleet.startStore()
      }
    }
    daemon.send(SIGTERM)
    #expect(try daemon.end(within: .seconds(20)) == 0)
    committed.formUnion(try fleet.committed())
    // Without a car: nothing but what waits.
    try fleet.configure("[]")
    daemon = try fleet.startDaemon()
    let deadline = ContinuousClock.now + .seconds(60)
    while try !fleet.committed(isLive: true).isEmpty, .now < deadline { poll(nil, 0, 50) }
    #expect(try fleet.committed(isLive: true) == [], "nothing is left behind: \(daemon.errorLines)")
    let records = try fleet.stored()
    let names = records.map { "\($0.epoch) \($0.seq)" }
    #expect(committed.subtracting(names) == [], "committed, and not in the store")
    #expect(names.count == Set(names).count && records.count == Set(records.map(\.id)).count, "nothing is there twice")
    let gaps = records.filter { $0.type == "gap" }.map(\.line)
    #expect(KeptRecord.unexplainedHoles(in: records) == [], "\(gaps)")
    #expect(records.count > 20 * rounds)
  }

  @Test func fences_of_the_store_are_watched_without_a_restart() async throws {
    try await aside {
      let fleet = try Fleet()
      let server = try fleet.startStore()
      defer { server.kill() }
      try fleet.register(token: try server.line(within: .seconds(20)) { !$0.isEmpty }.text)
      let fences = try fleet.folder.write(
        "depot.geojson",
        """
        {"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"id": "depot", "radius": 100},
         "geometry": {"type": "Point", "coordinates": [11.5, 48.1]}}]}
        """)
      let put = try Tool.run(
        try #require(try Tool.required("curl")),
        [
          "-sS", "--fail-with-body", "-H", "@\(fleet.folder.file("header"))", "-H",
          "Content-Type: application/geo+json",
          "-X", "PUT", "--data-binary", "@\(fences)", "http://127.0.0.1:\(fleet.port.number)/api/geofences",
        ])
      try #require(put.status == 0, "\(put.output) \(put.errors)")
      let daemon = try fleet.startDaemon()
      defer { daemon.kill() }
      try daemon.errorLine(within: .seconds(30)) { $0.contains("1 fences are watched") }
      daemon.send(SIGTERM)
      #expect(try daemon.end(within: .seconds(20)) == 0)
      // The next start knows them without a network.
      server.kill()
      let kept = try String(contentsOfFile: fleet.folder.file("state/fences.geojson"), encoding: .utf8)
      #expect(kept.contains("depot"))
    }
  }
}
