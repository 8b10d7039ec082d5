import Foundation
import TestKit
import Testing

@testable import FleetstoreTestKit

/// The server is killed while it sends events to a webhook. Each event whose change was answered arrives, the same event
/// always has the same ID, and the events of one thing arrive in order.
@Suite struct DeliveryKillTests {
  private static let rounds = 4
  private static let drivers = 3

  /// A receiver that answers slowly, and rejects some requests. It prints each request that it accepts.
  private static let receiver = """
    import http.server, json, random, time
    random.seed(7)
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            time.sleep(random.random() * 0.05)
            is_accepted = random.random() < 0.9
            if is_accepted:
                print(self.headers["webhook-id"], body["type"], body["data"]["thing"], flush=True)
            self.send_response(204 if is_accepted else 500)
            self.send_header("Content-Length", "0")
            self.end_headers()
        def log_message(self, *_): pass
    class Server(http.server.ThreadingHTTPServer):
        daemon_threads = True
        def handle_error(self, *_): pass
    server = Server(("127.0.0.1", 0), Handler)
    print("port", server.server_port, flush=True)
    server.serve_forever()
    """

  @Test(arguments: Database.allCases)
  func a_killed_server_loses_no_event(_ database: Database) async throws {
    // Most of the time is spent waiting for requests that are sent again.
    try await runBlocking { try Self.killServers(database) }
  }

  private static func killServers(_ database: Database) throws {
    let scratch = try ScratchFolder()
    try scratch.writeSecret("secret.keys", String(repeating: "7", count: 64) + "\n")
    let address = try database.address(in: scratch)
    let settings = try scratch.write(
      "c.json",
      #"{"database":"\#(address)","accounts":{"secretKeysFile":"secret.keys"},"connectors":{"allowPrivate":true}}"#)
    let program = try RunningProgram("/usr/bin/python3", ["-c", Self.receiver])
    defer { program.kill() }
    let port = try program.line(within: .seconds(60)) { $0.hasPrefix("port ") }.text.dropFirst(5)
    var store = try ServedStore(["--config", settings])
    defer { store.program.kill() }
    let token = try #require(store.token)
    func send(_ method: String, _ path: String, _ body: String) throws -> [String: Any] {
      let text = try store.request("/api/\(path)", token: token, ["-X", method, "--json", body])
      return (try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]) ?? [:]
    }
    let events = #"["assignmentMade","assignmentEnded"]"#
    _ = try send("POST", "webhooks", #"{"url":"http://127.0.0.1:\#(port)/","events":\#(events)}"#)
    var drivers: [String] = []
    for number in 0..<Self.drivers {
      _ = try send("POST", "vehicles", #"{"id":"VAN-\#(number)"}"#)
      drivers.append(try #require(try send("POST", "drivers", #"{"name":"D\#(number)"}"#)["id"] as? String))
    }
    var expected: [String: [String]] = [:]
    var arrived: [String: [String]] = [:]
    var ids: [String: String] = [:]
    /// Waits for the next accepted request.
    func receive() throws {
      let words = try program.line(within: .seconds(120)) { _ in true }.text.split(separator: " ").map(String.init)
      let (id, type, thing) = (words[0], words[1], words[2])
      let key = "\(type) \(thing)"
      if let known = ids[id] {
        #expect(known == key, "an ID belongs to one event")
        return
      }
      #expect(!ids.values.contains(key), "an event has one ID")
      ids[id] = key
      arrived[thing, default: []].append(type)
    }
    for round in 0..<Self.rounds {
      for number in 0..<Self.drivers {
        let body = #"{"vehicleId":"VAN-\#(number)","driverId":"\#(drivers[number])"}"#
        let made = try send("POST", "assignments", body)
        let id = try #require(made["id"] as? String, "\(made)")
        #expect(try send("POST", "assignments/\(id)/end", "{}")["status"] as? String == "completed")
        expected[id] = ["assignmentMade", "assignmentEnded"]
      }
      // Kill the server while it sends: after a different number of requests in each round.
      for _ in 0...round { try receive() }
      try store.program.killNow()
      store = try ServedStore(["--config", settings], isFirst: false)
    }
    let deadline = ContinuousClock.now + .seconds(180)
    while arrived != expected, .now < deadline { try receive() }
    #expect(arrived == expected)
  }
}
