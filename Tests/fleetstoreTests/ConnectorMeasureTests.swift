import Foundation
import Glibc
import TestKit
import Testing

@testable import FleetstoreTestKit

/// Measurements of connectors with `CONNECTOR_ASSETS` vehicles or machines (10,000); see ``MeasureTests``.
@Suite(
  .serialized,
  .enabled(
    if: ProcessInfo.processInfo.environment["FLEETSTORE_MEASURE"] != nil, "a measurement: make bench-store runs it"))
struct ConnectorMeasureTests {
  enum Service: String, CaseIterable { case samsara, aemp }

  private static let assets = Int(ProcessInfo.processInfo.environment["CONNECTOR_ASSETS"] ?? "") ?? 10_000
  /// The greatest processor time of a poll, s. It is the limit for 10,000 assets.
  private static let mostSeconds = 60.0

  /// A cloud in a program of its own. Each request of `/go` lets it report new values of all assets. Samsara: 512 vehicles
  /// on a page of a list or feed, with seven values each. AEMP: 100 machines on a page in XML, with seven sections each.
  private static let cloud = """
    import http.server, json, re, sys, time
    service, assets = sys.argv[1], int(sys.argv[2])
    poll, start = 0, int(time.time()) - 3600
    def stamp():
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(start + 60 * poll))
    feeds = {"gps": ["gps", "engineStates", "obdOdometerMeters"], "fuelPercents": ["fuelPercents", "obdEngineSeconds"],
        "engineRpm": ["engineRpm"], "defLevelMilliPercent": ["batteryMilliVolts"]}
    def value(name, i):
        at = stamp()
        if name == "gps":
            return {"time": at, "latitude": 40 + i / 1e4, "longitude": -90 - i / 1e4, "headingDegrees": i % 360,
                "speedMilesPerHour": 10 + i % 50, "isEcuSpeed": True}
        number = {"engineStates": "On", "obdOdometerMeters": 10**8 + i + 1000 * poll, "fuelPercents": 50 + i % 50,
            "obdEngineSeconds": 10**6 + i + 60 * poll, "engineRpm": 1000 + i % 1000, "batteryMilliVolts": 12400}[name]
        return {"time": at, "value": number}
    def samsara(path):
        after = re.search("after=([0-9]+)", path)
        first = int(after.group(1)) if after else 0
        if path.startswith("/fleet/vehicles?"):
            rows = [{"id": str(i), "name": "Truck %d" % i, "vin": "1FUJA6CV7%08d" % i} for i in
                range(first, min(first + 512, assets))]
            end = first + len(rows)
            return rows, str(end) if end < assets else "", end < assets
        names = next((feeds[n] for n in feeds if "types=" + n in path), [])
        if not names or first >= assets * poll:
            return [], str(first), False
        i = first % assets
        rows = [{"id": str(n), **{name: [value(name, n)] for name in names}} for n in range(i, min(i + 512, assets))]
        end = first + len(rows)
        return rows, str(end), end < assets * poll
    def machine(i):
        at = stamp()
        return ("<Equipment><EquipmentHeader><OEMName>CAT</OEMName><Model>320</Model><EquipmentID>E%d</EquipmentID>"
            "<SerialNumber>S%d</SerialNumber><PIN>1CATX6CV7%08d</PIN></EquipmentHeader>"
            '<Location datetime="%s"><Latitude>%f</Latitude><Longitude>%f</Longitude></Location>'
            '<CumulativeOperatingHours datetime="%s"><Hour>%d</Hour></CumulativeOperatingHours>'
            '<CumulativeIdleHours datetime="%s"><Hour>%d</Hour></CumulativeIdleHours>'
            '<FuelUsed datetime="%s"><FuelUnits>litre</FuelUnits><FuelConsumed>%d</FuelConsumed></FuelUsed>'
            '<FuelRemaining datetime="%s"><Percent>%d</Percent></FuelRemaining>'
            '<Distance datetime="%s"><OdometerUnits>kilometre</OdometerUnits><Odometer>%d</Odometer></Distance>'
            '<EngineStatus datetime="%s"><EngineNumber>1</EngineNumber><Running>true</Running></EngineStatus></Equipment>'
            % (i, i, i, at, 40 + i / 1e4, -90 - i / 1e4, at, 5000 + poll, at, 900, at, 10000 + poll, at, i % 100, at,
                1000 + poll, at))
    def aemp(path):
        page = int(path.rsplit("/", 1)[1])
        last = page * 100 >= assets
        link = "" if last else "<Links><rel>next</rel><href>/Fleet/%d</href></Links>" % (page + 1)
        rows = "".join(machine(i) for i in range((page - 1) * 100, min(page * 100, assets)))
        return '<?xml version="1.0"?><Fleet>%s%s</Fleet>' % (link, rows)
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def do_GET(self):
            global poll
            if self.path == "/go":
                poll += 1
                text = ""
            elif service == "aemp":
                text = aemp(self.path)
            else:
                rows, cursor, more = samsara(self.path)
                text = json.dumps({"data": rows, "pagination": {"endCursor": cursor, "hasNextPage": more}})
            body = text.encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        def log_message(self, *_):
            pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print("port", server.server_port, flush=True)
    server.serve_forever()
    """

  /// A server with a connector to the cloud.
  private final class Bench {
    let store: ServedStore
    private let scratch: ScratchFolder
    private let cloud: RunningProgram
    private let port: Substring
    private let id: String
    /// Number of polls that have ended, and of values in each.
    private var polls = 0
    private static let values = 7

    init(_ service: Service) throws {
      let scratch = try ScratchFolder()
      try scratch.writeSecret("secret.keys", String(repeating: "7", count: 64) + "\n")
      let settings = try scratch.write(
        "c.json",
        #"{"rate":{"perSecond":1e6,"burst":1e6},"database":"sqlite:fleet.db","#
          + #""accounts":{"secretKeysFile":"secret.keys"},"connectors":{"allowPrivate":true}}"#)
      let arguments = ["-c", ConnectorMeasureTests.cloud, service.rawValue, "\(ConnectorMeasureTests.assets)"]
      let cloud = try RunningProgram("/usr/bin/python3", arguments)
      let port = try cloud.line(within: .seconds(60)) { $0.hasPrefix("port ") }.text.dropFirst(5)
      let store = try ServedStore(["--config", settings])
      let connector =
        #"{"name":"Cloud","service":"\#(service.rawValue)","address":"http://127.0.0.1:\#(port)","signIn":"bearer","#
        + #""secret":"token","isActive":false}"#
      let text = try store.request("/api/connectors", token: store.token, ["--json", connector])
      let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
      id = try #require(json?["id"] as? String, "\(text)")
      (self.cloud, self.port, self.store) = (cloud, port, store)
      self.scratch = scratch
    }

    func end() {
      store.program.kill()
      cloud.kill()
    }

    /// Lets the server poll new values of all assets. A change of the settings makes the connector due.
    func begin() throws {
      let socket = try LoadSocket(port: Int(port) ?? 0)
      #expect(try socket.send("GET", "/go", key: nil, []).contains(" 200 "))
      polls += 1
      _ = try store.request(
        "/api/connectors/\(id)", token: store.token,
        ["-X", "PATCH", "-H", "If-Match: *", "--json", #"{"isActive":true,"period":\#(86_400 - polls)}"#])
    }

    /// Waits until the poll has ended.
    func finish() throws {
      let expected = ConnectorMeasureTests.assets * Self.values * polls
      let deadline = ContinuousClock.now + .seconds(600)
      while true {
        let text = try store.request("/api/connectors/\(id)", token: store.token)
        let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        if json?["stored"] as? Int == expected, json?["state"] as? String == "working" { return }
        try #require(ContinuousClock.now < deadline, "\(expected) values: \(text)")
        usleep(100_000)
      }
    }
  }

  @Test(arguments: Service.allCases)
  func polls_of_many_assets_are_measured(_ service: Service) async throws {
    try await runBlocking {
      let bench = try Bench(service)
      defer { bench.end() }
      var memory: [Int] = []
      for poll in 1...6 {
        let (start, before) = (ContinuousClock.now, try MeasureTests.processorSeconds(bench.store.program.pid))
        try bench.begin()
        try bench.finish()
        let used = try MeasureTests.processorSeconds(bench.store.program.pid) - before
        memory.append(try bench.store.memoryKiB())
        print(
          "\(service): poll \(poll) of \(Self.assets) assets: \(used) s of a core, "
            + "\((ContinuousClock.now - start) / .seconds(1)) s; \(memory[memory.count - 1]) KiB resident")
        #expect(used <= Self.mostSeconds * max(1, Double(Self.assets) / 10_000))
      }
      // Later polls need no more memory than the second one: the first one adds the vehicles.
      #expect(memory[5] <= memory[1] * 11 / 10, "\(memory)")
    }
  }

  /// A gateway sends 50 batches a second, alone and during polls. The rounds alternate, so that a slower disk affects
  /// both.
  @Test(arguments: Service.allCases)
  func ingest_during_polls_is_measured(_ service: Service) async throws {
    try await runBlocking {
      let bench = try Bench(service)
      defer { bench.end() }
      try bench.begin()
      try bench.finish()
      let key = try MeasureTests.addGateway(0, bench.store)
      let batches = LoadClient.batches(2_000, gateways: 1)
      var sent = 0
      var delays: [Bool: [Double]] = [:]
      for round in 0..<8 {
        let isPolling = round % 2 == 1
        if isPolling { try bench.begin() }
        let socket = try LoadSocket(port: bench.store.port)
        let start = ContinuousClock.now
        for number in 0..<250 {
          usleep(useconds_t(max(0, (start + .milliseconds(20 * number) - .now) / .microseconds(1))))
          let begun = ContinuousClock.now
          #expect(try socket.post(batches[sent], key: key).contains(" 200 "))
          delays[isPolling, default: []].append((ContinuousClock.now - begun) / .milliseconds(1))
          sent += 1
        }
        if isPolling { try bench.finish() }
      }
      for (isPolling, times) in delays.sorted(by: { !$0.key && $1.key }) {
        let sorted = times.sorted()
        print(
          "\(service): ingest \(isPolling ? "during polls" : "alone"): median \(sorted[sorted.count / 2]) ms, p99 "
            + "\(sorted[sorted.count * 99 / 100]) ms, longest \(sorted[sorted.count - 1]) ms")
      }
    }
  }
}
