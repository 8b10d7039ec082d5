import Foundation
import TestKit
import Testing

/// A simulated car, a daemon's folder and a fleet store.
final class FleetRun {
  /// A broker between daemon and store, with the URLs that both use.
  struct Broker {
    let daemon: String
    let store: String
    /// Password of the store's user; `nil` if it has none.
    var password: String?
  }

  let folder: ScratchFolder
  let adapter: SimulatedAdapter
  let port: ReservedPort
  /// The address to which the daemon sends, if it differs from the store's port.
  private let proxy: ReservedPort?
  /// Additional members of the sink's object.
  private let sink: String
  private let authority: String?
  private let broker: Broker?
  private let database: String
  private let gateway: String
  private let store: String
  /// The service manager that the daemon notifies when it is ready.
  private var manager: NotifySocket?

  /// - Parameters:
  ///   - authority: authority of the store's certificate, if it uses TLS.
  ///   - sink: additional members of the sink's object.
  ///   - database: the store's database; `nil` for a SQLite file.
  ///   - broker: the broker; `nil` to send records to the store over HTTP.
  init(
    proxy: ReservedPort? = nil, authority: String? = nil, sink: String = "", database: String? = nil,
    broker: Broker? = nil
  ) throws {
    self.proxy = proxy
    self.authority = authority
    self.sink = sink
    self.broker = broker
    gateway = try Tool.obdgated
    store = try Tool.fleetstore
    folder = try ScratchFolder()
    self.database = database ?? "sqlite:\(folder.file("fleet.db"))"
    port = try ReservedPort()
    adapter = try SimulatedAdapter(.tcp(0), scenario: Scenarios.drive, log: folder.file("dialogue"), in: folder.path)
    try FileManager.default.createDirectory(atPath: folder.file("state"), withIntermediateDirectories: true)
    try configure(#"[{"tcp": "\#(adapter.name)"}]"#)
  }

  deinit { adapter.stop() }

  func configure(_ adapters: String) throws {
    _ = try folder.write(
      "gateway.json",
      """
      {"gatewayId": "gw-test", "adapters": \(adapters), "discovery": {"serial": false, "bluetooth": false},
       "poll": {"defaultPeriod": 0.05}, "record": {"on": "cycle"}, "spool": {"commitPeriod": 0.2},
       "stateDirectory": "state", "sinks": [{\(peer), "batch": {"records": 20, "seconds": 0.2}\(sink)\(trust)}]}
      """)
  }

  /// The address to which the sink sends.
  private var peer: String {
    if let broker { return #""type": "mqtt", "url": "\#(broker.daemon)", "answerLimit": 10"# }
    return #""type": "fleetStore", "url": "\#(scheme)://127.0.0.1:\#((proxy ?? port).number)/api", "tokenFile": "key""#
  }

  private var scheme: String { authority == nil ? "http" : "https" }
  private var trust: String { authority.map { ", \"tls\": {\"caFile\": \"\($0)\"}" } ?? "" }

  func startDaemon() throws -> RunningProgram {
    // The spool is open when the daemon has notified the manager. Reading it earlier would lock it for a moment.
    _ = unsafe unlink(folder.file("notify"))
    let manager = try NotifySocket(in: folder)
    self.manager = manager
    let daemon = try RunningProgram(
      gateway, ["--config", folder.file("gateway.json")], environment: ["NOTIFY_SOCKET": manager.path])
    do {
      try manager.awaitState("READY=1")
    } catch {
      daemon.kill()
      throw error
    }
    return daemon
  }

  /// Starts the store.
  ///
  /// - Parameter tls: certificate and key of the store; `nil` for HTTP without TLS.
  func startStore(tls: (certificate: String, key: String)? = nil) throws -> RunningProgram {
    var settings: [String] = []
    if let tls { settings.append(#""tls": {"certificate": "\#(tls.certificate)", "key": "\#(tls.key)"}"#) }
    if let broker {
      settings.append(#""broker": {"urls": ["\#(broker.store)"], "retrySeconds": 1\#(try password(of: broker))}"#)
    }
    let server = try RunningProgram(
      store,
      [
        "serve", "--listen", "127.0.0.1:\(port.number)", "--database", database, "--config",
        try folder.write("store.json", "{\(settings.joined(separator: ", "))}"),
      ])
    try server.errorLine(within: .seconds(60)) { $0.contains("listening on") }
    return server
  }

  private func password(of broker: Broker) throws -> String {
    guard let password = broker.password else { return "" }
    try storeSecret(password, in: "password")
    return #", "passwordFile": "password""#
  }

  /// Writes a secret to a file that only its owner may read.
  private func storeSecret(_ secret: String, in name: String) throws {
    let isMade = FileManager.default.createFile(
      atPath: folder.file(name), contents: Data(secret.utf8), attributes: [.posixPermissions: 0o600])
    try #require(isMade)
  }

  /// Registers the gateway. Its key is written to the file that the daemon reads.
  ///
  /// - Parameters:
  ///   - token: the administrator's token.
  ///   - vehicles: the vehicles for which the gateway may send records; empty for those of which it sends the first
  ///     record.
  func register(token: String, vehicles: [String] = []) throws {
    let made = try Tool.run(
      store, ["gateway", "add", "gw-test", "--database", database] + vehicles.flatMap { ["--vehicle", $0] })
    try #require(made.status == 0, "\(made.errors)")
    try storeSecret(made.output, in: "key")
    try storeSecret("Authorization: Bearer \(token)\n", in: "header")
  }

  /// Returns all records in the store, page by page.
  func stored() throws -> [KeptRecord] {
    let vehicles = try pages("/vehicles").compactMap { $0["id"] as? String }
    // The gateway's own records may also be attributed to a vehicle.
    var records = try pages("/gateways/gw-test/records")
    for vehicle in vehicles {
      for kind in ["telemetry", "trips", "dtcs", "events"] {
        records += try pages("/vehicles/\(vehicle)/\(kind)").filter { $0["attributedFrom"] == nil }
      }
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
        try Tool.required("curl"),
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

  /// Waits until at least this many further records are committed.
  func record(_ count: Int, besides committed: inout Set<String>, _ daemon: RunningProgram) throws {
    let before = committed.count
    let deadline = ContinuousClock.now + .seconds(60)
    while committed.count < before + count, .now < deadline {
      // Wait, because a daemon that is starting also needs the processor.
      poll(nil, 0, 50)
      committed.formUnion(try self.committed(isLive: true))
    }
    try #require(committed.count >= before + count, "\(daemon.errorLines.suffix(5))")
  }

  /// Ends the drive, waits for pending records, and compares the records in the store with those that were committed,
  /// and with the answers of the car.
  ///
  /// - Returns: the records in the store.
  func finish(_ daemon: inout RunningProgram, _ committed: Set<String>) throws -> [KeptRecord] {
    var committed = committed
    daemon.send(SIGTERM)
    #expect(try daemon.end(within: .seconds(60)) == 0)
    committed.formUnion(try self.committed())
    adapter.stop()
    let answers = try SimulatedAnswers(String(contentsOfFile: folder.file("dialogue"), encoding: .utf8))
    // Without a car, only pending records are sent.
    try configure("[]")
    daemon = try startDaemon()
    let deadline = ContinuousClock.now + .seconds(120)
    while try !self.committed(isLive: true).isEmpty, .now < deadline { poll(nil, 0, 50) }
    #expect(try self.committed(isLive: true) == [], "nothing is left behind: \(daemon.errorLines)")
    while true {
      let records = try stored()
      let faults = try Self.faults(of: records, committed) + answers.faults(in: records, .cycle)
      // A broker may still have some of the records.
      if broker != nil, !faults.isEmpty, .now < deadline { continue }
      #expect(faults == [], "\(records.filter { $0.type == "gap" }.map(\.line))")
      return records
    }
  }

  private static func faults(of records: [KeptRecord], _ committed: Set<String>) -> [String] {
    let names = records.map { "\($0.epoch) \($0.seq)" }
    let isDoubled = names.count != Set(names).count || records.count != Set(records.map(\.id)).count
    return committed.subtracting(names).sorted().map { "\($0) was committed, and is not in the store" }
      + (isDoubled ? ["something is there twice"] : []) + KeptRecord.unexplainedHoles(in: records)
  }
}
