import Foundation
import TestKit
import Testing

/// A simulated car, a daemon's folder and a fleet store.
final class FleetRun {
  let folder: ScratchFolder
  let adapter: SimulatedAdapter
  let port: ReservedPort
  /// Where the daemon sends to, if it is not the store's own port.
  private let proxy: ReservedPort?
  /// What the sink is told besides: members of its object.
  private let sink: String
  private let authority: String?
  private let gateway: String
  private let store: String

  /// - Parameters:
  ///   - authority: of the store's certificate, where it speaks TLS.
  ///   - sink: further members of the sink's object.
  init(proxy: ReservedPort? = nil, authority: String? = nil, sink: String = "") throws {
    self.proxy = proxy
    self.authority = authority
    self.sink = sink
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
       "sinks": [{"type": "fleetStore", "url": "\(scheme)://127.0.0.1:\((proxy ?? port).number)/api", "tokenFile": "key",
                  "batch": {"records": 20, "seconds": 0.2}\(sink)\(trust)}]}
      """)
  }

  private var scheme: String { authority == nil ? "http" : "https" }
  private var trust: String { authority.map { ", \"tls\": {\"caFile\": \"\($0)\"}" } ?? "" }

  func startDaemon() throws -> RunningProgram {
    try RunningProgram(gateway, ["--config", folder.file("gateway.json")])
  }

  /// - Parameter tls: its certificate and key.
  func startStore(tls: (certificate: String, key: String)? = nil) throws -> RunningProgram {
    var arguments = [
      "serve", "--listen", "127.0.0.1:\(port.number)", "--database", "sqlite:\(folder.file("fleet.db"))",
    ]
    if let tls {
      arguments += [
        "--config",
        try folder.write(
          "store.json", "{\"tls\": {\"certificate\": \"\(tls.certificate)\", \"key\": \"\(tls.key)\"}}"),
      ]
    }
    let server = try RunningProgram(store, arguments)
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
      let url = "\(scheme)://127.0.0.1:\(port.number)/api\(path)?limit=1000\(query)"
      let answer = try Tool.run(
        try #require(try Tool.required("curl")),
        (authority.map { ["--cacert", $0] } ?? []) + [
          "-sS", "--fail-with-body", "-H", "@\(folder.file("header"))", url,
        ])
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

  /// Waits until at least so many records more are committed and on their way.
  func record(_ count: Int, besides committed: inout Set<String>, _ daemon: RunningProgram) throws {
    let before = committed.count
    let deadline = ContinuousClock.now + .seconds(60)
    while committed.count < before + count, .now < deadline {
      committed.formUnion(try self.committed(isLive: true))
    }
    try #require(committed.count >= before + count, "\(daemon.errorLines.suffix(5))")
  }

  /// Ends the drive, lets what waits arrive, and holds what the store has against what was committed.
  ///
  /// - Returns: what the store has.
  func finish(_ daemon: inout RunningProgram, _ committed: Set<String>) throws -> [KeptRecord] {
    var committed = committed
    daemon.send(SIGTERM)
    #expect(try daemon.end(within: .seconds(20)) == 0)
    committed.formUnion(try self.committed())
    // Without a car: nothing but what waits.
    try configure("[]")
    daemon = try startDaemon()
    let deadline = ContinuousClock.now + .seconds(60)
    while try !self.committed(isLive: true).isEmpty, .now < deadline { poll(nil, 0, 50) }
    #expect(try self.committed(isLive: true) == [], "nothing is left behind: \(daemon.errorLines)")
    let records = try stored()
    let names = records.map { "\($0.epoch) \($0.seq)" }
    #expect(committed.subtracting(names) == [], "committed, and not in the store")
    #expect(names.count == Set(names).count && records.count == Set(records.map(\.id)).count, "nothing is there twice")
    let gaps = records.filter { $0.type == "gap" }.map(\.line)
    #expect(KeptRecord.unexplainedHoles(in: records) == [], "\(gaps)")
    return records
  }
}
