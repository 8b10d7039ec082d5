import Foundation
import Peers
import TestKit
import Testing

@testable import Sinks
@testable import SinksTestKit

/// Checks of a sink's peer without sending a record.
@Suite struct PeerCheckTests: ~Copyable {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private static let limit: Int64 = 60_000_000_000

  private func secret(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
    let path = try scratch.write(name, text)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return path
  }

  private func store(_ port: Int, token: String? = nil, scheme: String = "http") throws -> FleetStoreConfiguration {
    var store = FleetStoreConfiguration(
      url: try #require(ServiceURL("\(scheme)://localhost:\(port)/api", schemes: FleetStoreConfiguration.schemes)))
    store.tokenFile = token
    return store
  }

  private func broker(_ port: Int) throws -> MQTTConfiguration {
    MQTTConfiguration(url: try #require(ServiceURL("mqtt://127.0.0.1:\(port)", schemes: MQTTConfiguration.schemes)))
  }

  // MARK: Fleet stores

  @Test func a_check_with_a_valid_token_sends_no_record() throws {
    let token = try secret("token", "s3cret\n")
    let peer = try ScriptedStore(["token": token], in: scratch)
    let found = try store(peer.port, token: token).check(within: Self.limit)
    #expect(found.verdict == .takesRecords, "\(found)")
    #expect(!found.description.contains("s3cret"))
    #expect(peer.requests.map { "\($0.method) \($0.path) \($0.count)" } == ["POST /api/telemetry 0"])
    #expect(peer.received.isEmpty)
  }

  @Test func a_token_that_the_fleet_store_does_not_know_is_reported() throws {
    let peer = try ScriptedStore(["token": try secret("right", "s3cret")], in: scratch)
    let found = try store(peer.port, token: try secret("wrong", "0ther")).check(within: Self.limit)
    #expect(found.verdict == .takesNone)
    #expect(found.kind == .unauthorized)
    #expect(found.description.contains("unknown token"))
    #expect(!found.description.contains("0ther"))
  }

  @Test func a_token_of_another_gateway_is_reported() throws {
    let peer = try ScriptedStore(["gateway": "gw-1"], in: scratch)
    let silent = try ScriptedStore([:], in: scratch)
    let found = try store(peer.port).check(within: Self.limit, gatewayId: "gw-9")
    #expect(found.verdict == .takesNone && found.kind == .otherGateway)
    #expect(found.description.hasSuffix("the token belongs to the gateway gw-1, but this gateway is gw-9"))
    #expect(try store(peer.port).check(within: Self.limit, gatewayId: "gw-1").verdict == .takesRecords)
    #expect(try store(peer.port).check(within: Self.limit).verdict == .takesRecords)
    #expect(try store(silent.port).check(within: Self.limit, gatewayId: "gw-9").verdict == .takesRecords)
  }

  @Test func a_world_readable_token_is_reported_and_the_connection_is_still_checked() throws {
    let token = try secret("token", "s3cret", mode: 0o644)
    let peer = try ScriptedStore(["token": token], in: scratch)
    let found = try store(peer.port, token: token).check(within: Self.limit)
    #expect(found.kind == .badFile)
    #expect(found.description.contains("chmod 600"))
    #expect(found.description.contains("is reached"))
  }

  /// Web servers answer 400 with a page if they receive HTTP on a TLS port.
  @Test(arguments: [(404, "check the path"), (400, "if the server uses TLS, write https://")])
  func a_server_that_is_not_a_fleet_store_is_reported(_ row: (status: Int, remedy: String)) throws {
    let script = """
      import http.server as h
      class Other(h.BaseHTTPRequestHandler):
        def do_POST(self): self.send_error(\(row.status))
      s = h.HTTPServer(("127.0.0.1", 0), Other)
      print(s.server_port, flush=True)
      s.serve_forever()
      """
    let python = try Tool.required("python3")
    let other = try RunningProgram(python, ["-c", script])
    defer { other.kill() }
    let port = try #require(Int(try other.line(within: .seconds(60)) { !$0.isEmpty }.text))
    let found = try store(port).check(within: Self.limit)
    #expect(found.kind == .badAnswer, "\(found)")
    #expect(found.description.contains(row.remedy))
  }

  @Test func a_closed_port_and_a_silent_peer_are_reported_differently() throws {
    let closed = try ReservedPort()
    #expect(try store(Int(closed.number)).check(within: Self.limit).kind == .unreachable)
    let silent = try SilentServer()
    #expect(try store(silent.port).check(within: 300_000_000).kind == .timedOut)
  }

  @Test func an_untrusted_certificate_is_reported() throws {
    let certificates = try Certificates()
    let server = try certificates.make("server", for: "DNS:localhost")
    let peer = try ScriptedStore([:], in: scratch, tls: server)
    var configuration = try store(peer.port, scheme: "https")
    #expect(configuration.check(within: Self.limit).kind == .certificate)
    configuration.tls.authorities = certificates.authority
    #expect(configuration.check(within: Self.limit).verdict == .takesRecords)
  }

  // MARK: Brokers

  @Test func a_broker_check_connects_and_publishes_nothing() throws {
    let broker = try Mosquitto(in: scratch)
    let subscriber = try broker.subscriber("#")
    defer { subscriber.kill() }
    let found = try self.broker(broker.port).check(within: Self.limit)
    #expect(found.verdict == .takesRecords, "\(found)")
    #expect(found.description.contains("MQTT 5"))
    // The broker confirms the regular end of the connection. A last will would have been published before it.
    try broker.says("disconnected")
    #expect(subscriber.output.isEmpty)
  }

  @Test func a_broker_check_does_not_disconnect_a_running_daemon() throws {
    let broker = try Mosquitto(in: scratch)
    let configuration = try self.broker(broker.port)
    var sink = MQTTSink(
      configuration, MQTTSink.GatewayFacts(gatewayId: "gw-17", statusId: "gw-17", stateDirectory: nil))
    let wakeUp = try SinkWakeUp()
    #expect(sink.deliver(Batches.telemetry(1...1), wakeUp).acknowledged == [0..<1])
    #expect(configuration.check(within: Self.limit).verdict == .takesRecords)
    #expect(sink.deliver(Batches.telemetry(2...2), wakeUp).acknowledged == [0..<1])
    #expect(!broker.said.contains { $0.contains("already connected") })
    sink.finish(wakeUp)
  }

  @Test func a_rejected_broker_password_is_reported_and_not_shown() throws {
    let passwords = scratch.file("passwords")
    try Tool.required("mosquitto_passwd")
    #expect(try Tool.run("mosquitto_passwd", ["-b", "-c", passwords, "gateway", "right"]).status == 0)
    let broker = try Mosquitto("allow_anonymous false\npassword_file \(passwords)", in: scratch)
    var configuration = try self.broker(broker.port)
    configuration.userFile = try secret("user", "gateway")
    configuration.passwordFile = try secret("password", "wr0ng")
    let found = configuration.check(within: Self.limit)
    #expect(found.kind == .unauthorized, "\(found)")
    #expect(!found.description.contains("wr0ng"))
    configuration.passwordFile = try secret("password", "right")
    #expect(configuration.check(within: Self.limit).verdict == .takesRecords)
  }

  @Test func an_unreachable_or_silent_broker_is_reported() throws {
    let closed = try ReservedPort()
    #expect(try broker(Int(closed.number)).check(within: Self.limit).kind == .unreachable)
    let silent = try SilentServer()
    #expect(try broker(silent.port).check(within: 300_000_000).kind == .timedOut)
  }

  @Test(arguments: ["--refuse-5", "--hang-up-on-5"])
  func a_broker_with_mqtt_3_1_1_accepts_the_check(trait: String) throws {
    let python = try Tool.required("python3")
    let script = TestData.projectRoot + "/Tests/Support/broker.py"
    let program = try RunningProgram(python, [script, trait])
    defer { program.kill() }
    let port = try #require(Int(try program.line(within: .seconds(60)) { $0.hasPrefix("port ") }.text.dropFirst(5)))
    let found = try broker(port).check(within: Self.limit)
    #expect(found.verdict == .takesRecords, "\(found)")
    #expect(found.description.contains("MQTT 3.1.1"))
  }

  @Test func sinks_without_a_peer_have_nothing_to_check() {
    #expect(SinkConfiguration.stdout(StdoutConfiguration()).check(within: Self.limit) == nil)
    #expect(SinkConfiguration.file(FileSinkConfiguration(path: "records.jsonl")).check(within: Self.limit) == nil)
  }
}

/// Accepts connections and never sends anything.
private final class SilentServer {
  let port: Int
  private let descriptor: Int32

  init() throws {
    // The port number is reserved, so that no other program listens there.
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let number = descriptor
    let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        unsafe bind(number, generic, length) == 0 && listen(number, 8) == 0
          && getsockname(number, generic, &length) == 0
      }
    }
    guard isListening else { throw NotListening() }
    port = Int(UInt16(bigEndian: address.sin_port))
  }

  deinit { close(descriptor) }

  struct NotListening: Error {}
}
