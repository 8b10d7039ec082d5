import Foundation
import Peers
import Ports
import Synchronization
import TestKit
import Testing

@testable import Sinks
@testable import SinksTestKit
@testable import Spool

/// The sink with a server that is another program in another language.
@Suite struct FleetStoreSinkTests: ~Copyable {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func configuration(
    _ port: Int, _ scheme: String = "http", _ host: String = "127.0.0.1"
  ) throws -> FleetStoreConfiguration {
    var configuration = FleetStoreConfiguration(
      url: try #require(ServiceURL("\(scheme)://\(host):\(port)/api", schemes: FleetStoreConfiguration.schemes)))
    configuration.requestLimit = 60_000_000_000
    return configuration
  }

  private func sink(
    _ configuration: FleetStoreConfiguration, gatewayId: String? = nil,
    fences: @escaping @Sendable ([UInt8]) -> Void = { _ in }, takers: @escaping @Sendable () -> Int = { 0 }
  ) -> FleetStoreSink {
    FleetStoreSink(
      configuration,
      FleetStoreSink.GatewayFacts(
        version: "1.2.3", stateDirectory: scratch.path, gatewayId: gatewayId, depth: { 4_711 }, takeFences: fences,
        fenceTakers: takers))
  }

  /// Delivers a batch. Records that were not accepted are sent again, up to a number of times.
  private func deliver(
    _ sink: inout FleetStoreSink, _ batch: RecordBatch, attempts: Int = 1
  ) throws -> [Delivery] {
    let wakeUp = try SinkWakeUp()
    var (rest, deliveries): (RecordBatch, [Delivery]) = (batch, [])
    while deliveries.count < attempts, !rest.isEmpty {
      deliveries.append(sink.deliver(rest, wakeUp))
      rest = Batches.rest(of: rest, without: deliveries[deliveries.count - 1].acknowledged)
    }
    return deliveries
  }

  private func failure(_ delivery: Delivery?) -> SinkError? {
    for case .failing(let error) in delivery?.events ?? [] { return error }
    return nil
  }

  @Test func a_batch_arrives_compressed_with_the_required_headers() async throws {
    let store = try ScriptedStore([:], in: scratch)
    var sink = sink(try configuration(store.port))
    let deliveries = try deliver(&sink, Batches.telemetry(1...100))
    #expect(deliveries.map(\.acknowledged) == [[0..<100]])
    #expect(deliveries[0].notBefore == .min)
    #expect(store.received == Array(1...100))
    let request = try #require(store.requests.first)
    #expect(request.path == "/api/telemetry")
    #expect(request.encoding == "zstd")
    #expect(request.compressed * 4 < request.plain)
    #expect(request.headers["user-agent"] == "obdgate/1.2.3")
    #expect(request.headers["obdgate-version"] == "1.2.3")
    #expect(request.headers["obdgate-spool-depth"] == "4711")
    #expect(request.headers["content-type"] == "application/x-ndjson")
    #expect(request.headers["authorization"] == nil)
  }

  @Test(arguments: [["gzip"], ["identity"]]) func a_server_without_zstd_gets_a_supported_encoding(_ known: [String])
    throws
  {
    let store = try ScriptedStore(["encodings": known], in: scratch)
    var sink = sink(try configuration(store.port))
    #expect(try deliver(&sink, Batches.telemetry(1...50)).map(\.acknowledged) == [[0..<50]])
    #expect(try deliver(&sink, Batches.telemetry(51...60)).map(\.acknowledged) == [[0..<10]])
    #expect(store.received == Array(1...60))
    #expect(store.requests.last?.encoding == known[0])
    #expect(store.requests.count == (known == ["gzip"] ? 3 : 4))
  }

  @Test(arguments: ["truncate", "reset", "garbage", "huge"])
  func an_incomplete_response_acknowledges_nothing_and_the_batch_is_resent(_ step: String) throws {
    let store = try ScriptedStore(["steps": [step]], in: scratch)
    var sink = sink(try configuration(store.port))
    let deliveries = try deliver(&sink, Batches.telemetry(1...5), attempts: 2)
    #expect(deliveries[0].acknowledged.isEmpty)
    #expect(deliveries[0].notBefore > .min)
    #expect(failure(deliveries[0])?.kind == .badAnswer)
    #expect(deliveries[1].acknowledged == [0..<5])
    #expect(deliveries[1].events.contains { if case .working = $0 { true } else { false } })
    // The record was stored but not acknowledged. The server recognises it by its ID.
    #expect(Set(store.received) == Set(1...5))
  }

  @Test func a_slow_response_is_accepted() throws {
    let store = try ScriptedStore(["steps": ["slow"]], in: scratch)
    var sink = sink(try configuration(store.port))
    #expect(try deliver(&sink, Batches.telemetry(1...5)).map(\.acknowledged) == [[0..<5]])
  }

  @Test func a_server_that_does_not_answer_ends_at_the_limit() throws {
    let store = try ScriptedStore(["steps": ["hang"]], in: scratch)
    var configuration = try configuration(store.port)
    // Time to connect and send on a busy machine.
    configuration.requestLimit = 5_000_000_000
    var sink = sink(configuration)
    let deliveries = try deliver(&sink, Batches.telemetry(1...5))
    #expect(deliveries[0].acknowledged.isEmpty)
    #expect(failure(deliveries[0])?.kind == .timedOut)
    // The server may have received it.
    #expect(!deliveries[0].sentNothing)
  }

  @Test func a_waiting_sink_stops_on_request() async throws {
    let store = try ScriptedStore(["steps": ["hang"]], in: scratch)
    let (configuration, folder) = (try configuration(store.port), scratch.path)
    try await runBlocking {
      let wakeUp = try WakeUp()
      let slot = try SinkSlot(reportsTo: wakeUp)
      Thread.detachNewThread {
        slot.run(
          FleetStoreSink(configuration, FleetStoreSink.GatewayFacts(version: "1", stateDirectory: folder)))
      }
      var batch = Batches.telemetry(1...5)
      slot.offer(&batch)
      let deadline = BootClock.now + 60_000_000_000
      while store.requests.isEmpty, BootClock.now < deadline { sched_yield() }
      slot.stop()
      while !slot.hasEnded, BootClock.now < deadline { if wakeUp.wait(until: deadline) { wakeUp.clear() } }
      let report = try #require(slot.popReport())
      #expect(report.batch?.records.count == 5)
      #expect(report.delivery == Delivery())
    }
  }

  @Test func an_unreachable_fleet_store_is_reported_once() throws {
    let unused = try UnusedPort()
    var sink = sink(try configuration(unused.number))
    let deliveries = try deliver(&sink, Batches.telemetry(1...5), attempts: 3)
    #expect(deliveries.map { failure($0)?.kind } == [.unreachable, nil, nil])
    #expect(deliveries.allSatisfy { $0.sentNothing })
    #expect(deliveries.allSatisfy { $0.acknowledged.isEmpty })
  }

  @Test(arguments: [500, 503, 429, 507]) func a_server_in_trouble_is_left_alone(_ status: Int) throws {
    let step: [String: Any] = ["status": status, "headers": ["Retry-After": "120"], "body": "later"]
    let store = try ScriptedStore(["steps": [step]], in: scratch)
    var sink = sink(try configuration(store.port))
    let before = BootClock.now
    let deliveries = try deliver(&sink, Batches.telemetry(1...5), attempts: 2)
    #expect(deliveries[0].acknowledged.isEmpty)
    #expect(deliveries[0].notBefore >= before + 120_000_000_000)
    #expect(deliveries[1].acknowledged == [0..<5])
  }

  @Test func too_much_at_once_is_split_and_nothing_is_doubled() throws {
    let store = try ScriptedStore(["largest": 7], in: scratch)
    var sink = sink(try configuration(store.port))
    #expect(try deliver(&sink, Batches.telemetry(1...50)).map(\.acknowledged) == [[0..<50]])
    #expect(store.received == Array(1...50))
  }

  @Test func a_new_token_is_read_when_the_old_one_is_rejected() throws {
    let accepted = try scratch.write("accepted", "old")
    let own = try scratch.write("token", "old\n")
    #expect(unsafe chmod(own, 0o600) == 0)
    let store = try ScriptedStore(["token": accepted], in: scratch)
    var configuration = try configuration(store.port)
    configuration.tokenFile = own
    var sink = sink(configuration)
    #expect(try deliver(&sink, Batches.telemetry(1...2))[0].acknowledged == [0..<2])
    try scratch.write("accepted", "new")
    let refused = try deliver(&sink, Batches.telemetry(3...4))[0]
    #expect(refused.acknowledged.isEmpty)
    #expect(failure(refused)?.kind == .unauthorized)
    try scratch.write("token", "new")
    #expect(unsafe chmod(own, 0o600) == 0)
    #expect(try deliver(&sink, Batches.telemetry(3...4))[0].acknowledged == [0..<2])
    #expect(store.received == [1, 2, 3, 4])
    #expect(!refused.events.contains { "\($0)".contains("old") })
  }

  @Test func a_token_that_everyone_can_read_is_not_sent() throws {
    let own = try scratch.write("token", "secret")
    #expect(unsafe chmod(own, 0o644) == 0)
    let store = try ScriptedStore([:], in: scratch)
    var configuration = try configuration(store.port)
    configuration.tokenFile = own
    var sink = sink(configuration)
    let delivery = try deliver(&sink, Batches.telemetry(1...2))[0]
    #expect(failure(delivery)?.kind == .badFile)
    #expect(delivery.sentNothing)
    #expect(store.requests.isEmpty)
  }

  @Test func refused_records_are_kept_with_the_reason_and_count_as_delivered() throws {
    let store = try ScriptedStore(["refuse": "\"rpm\": 3,"], in: scratch)
    _ = store
    let lines = (1...6).map { ($0, Batches.line($0, text: "x")) }
    var sink = sink(try configuration(store.port))
    let delivery = try deliver(&sink, Batches.batch(lines.map { (.telemetry, $0.1) }))[0]
    #expect(delivery.acknowledged == [0..<6])
    #expect(delivery.events.contains { "\($0)".contains(Batches.id(3)) && "\($0)".contains("rpm: not today") })
    let path = scratch.file("refused-fleetStore.jsonl")
    let kept = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: path))) as? [String: Any])
    #expect(kept["reason"] as? String == "rpm: not today")
    #expect((kept["record"] as? [String: Any])?["seq"] as? Int == 3)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func many_refused_records_of_a_batch_are_one_line() throws {
    let store = try ScriptedStore(["refuse": "\"rpm\": 1"], in: scratch)
    var sink = sink(try configuration(store.port))
    let delivery = try deliver(&sink, Batches.telemetry(1...20))[0]
    #expect(delivery.acknowledged == [0..<20])
    // 1 and 10 to 19.
    let said = delivery.events.map { "\($0)" }.filter { $0.contains("refused") }
    #expect(said.count == 1 && said[0].contains("record \(Batches.id(1)) and 10 more refused: "))
    let kept = try String(contentsOfFile: scratch.file("refused-fleetStore.jsonl"), encoding: .utf8)
    #expect(kept.split(separator: "\n").count == 11)
  }

  @Test func records_of_an_earlier_gatewayId_become_dead_letters_and_those_of_the_present_one_wait() throws {
    let store = try ScriptedStore(["gateway": "gw-18"], in: scratch)
    // Records name gw-17.
    var renamed = sink(try configuration(store.port), gatewayId: "gw-18")
    let given = try deliver(&renamed, Batches.telemetry(1...20))[0]
    #expect(given.acknowledged == [0..<20] && !given.isSetAside && failure(given) == nil)
    #expect(given.events.contains { "\($0)".contains("and 19 more refused: gatewayId: not yours; kept in ") })
    let kept = try String(contentsOfFile: scratch.file("refused-fleetStore.jsonl"), encoding: .utf8)
    #expect(kept.split(separator: "\n").count == 20)
    var entered = sink(try configuration(store.port), gatewayId: "gw-17")
    let waiting = try deliver(&entered, Batches.telemetry(21...40))[0]
    #expect(waiting.acknowledged.isEmpty && waiting.isSetAside && failure(waiting)?.kind == .unauthorized)
    #expect(store.received.isEmpty)
  }

  @Test func a_record_that_makes_a_batch_fail_is_found_and_kept() throws {
    let store = try ScriptedStore(["poison": "\"rpm\": 11}"], in: scratch)
    var sink = sink(try configuration(store.port))
    let delivery = try deliver(&sink, Batches.telemetry(1...20))[0]
    #expect(delivery.acknowledged == [0..<20])
    #expect(store.received.sorted() == Array(1...20).filter { $0 != 11 })
    let kept = try String(contentsOfFile: scratch.file("refused-fleetStore.jsonl"), encoding: .utf8)
    #expect(kept.contains("a record is malformed"))
    #expect(kept.split(separator: "\n").count == 1)
  }

  @Test func rejected_records_stay_in_the_spool_if_they_cannot_be_stored() throws {
    let store = try ScriptedStore(["refuse": "\"rpm\": 3}"], in: scratch)
    try FileManager.default.createDirectory(
      atPath: scratch.file("refused-fleetStore.jsonl"), withIntermediateDirectories: false)
    var sink = sink(try configuration(store.port))
    let delivery = try deliver(&sink, Batches.telemetry(1...6))[0]
    #expect(delivery.acknowledged == [0..<2, 3..<6])
    #expect(failure(delivery)?.kind == .badFile)
  }

  @Test func a_redirect_to_another_server_is_not_followed() throws {
    let other = try ScriptedStore([:], in: scratch)
    let away: [String: Any] = ["status": 307, "headers": ["Location": "http://127.0.0.1:\(other.port)/api/telemetry"]]
    let within: [String: Any] = ["status": 308, "headers": ["Location": "/api/v2/telemetry"]]
    let store = try ScriptedStore(["steps": [away, within]], in: scratch)
    var sink = sink(try configuration(store.port))
    let deliveries = try deliver(&sink, Batches.telemetry(1...5), attempts: 2)
    #expect(failure(deliveries[0])?.kind == .redirected)
    #expect(other.requests.isEmpty)
    #expect(deliveries[1].acknowledged == [0..<5])
    #expect(store.requests.last?.path == "/api/v2/telemetry")
  }

  @Test func a_configured_proxy_is_used() throws {
    let store = try ScriptedStore([:], in: scratch)
    var configuration = try configuration(store.port)
    let unused = try UnusedPort()
    configuration.proxy = "http://127.0.0.1:\(unused.number)"
    var proxied = sink(configuration)
    #expect(failure(try deliver(&proxied, Batches.telemetry(1...5))[0])?.kind == .unreachable)
    withExtendedLifetime(unused) {}
  }

  @Test func proxies_of_the_environment_are_not_used() async throws {
    let store = try ScriptedStore([:], in: scratch)
    let sinks = #"[{"type":"fleetStore","url":"http://127.0.0.1:\#(store.port)/api","batch":{"seconds":0}}]"#
    let config = try scratch.write("sinks.json", sinks)
    let folder = scratch.file("spool")
    let unused = try UnusedPort()
    let proxy = "http://127.0.0.1:\(unused.number)"
    try await runBlocking {
      let result = try Tool.run(
        try Tool.probe("SinksProbe"), ["run", folder, config, "120"],
        environment: ["http_proxy": proxy, "all_proxy": proxy])
      #expect(result.status == 0, "\(result.output)")
    }
    withExtendedLifetime(unused) {}
    #expect(store.received.sorted() == Array(1...120))
  }

  // MARK: Fences

  @Test func changed_fences_are_fetched() throws {
    let body = #"{"type":"FeatureCollection","features":[]}"#
    let store = try ScriptedStore(["fences": ["etag": "\"7\"", "body": body]], in: scratch)
    var configuration = try configuration(store.port)
    configuration.fencePeriod = 1
    let key = try scratch.write("key", "secret\n")
    #expect(unsafe chmod(key, 0o600) == 0)
    configuration.tokenFile = key
    let taken = Taken()
    var sink = sink(configuration, fences: { taken.add($0) })
    let wakeUp = try SinkWakeUp()
    #expect(sink.idle(until: .max, wakeUp) == Delivery())
    #expect(sink.idle(until: .max, wakeUp) == Delivery())
    #expect(taken.all == [Array(body.utf8)])
    #expect(store.requests.map(\.path) == ["/api/geofences", "/api/geofences"])
    #expect(store.requests.map { $0.headers["if-none-match"] } == [nil, "\"7\""])
    #expect(store.requests.map { $0.headers["authorization"] } == ["Bearer secret", "Bearer secret"])
  }

  @Test func fences_are_fetched_again_for_a_new_receiver() throws {
    let body = #"{"type":"FeatureCollection","features":[]}"#
    let store = try ScriptedStore(["fences": ["etag": "\"7\"", "body": body]], in: scratch)
    var configuration = try configuration(store.port)
    configuration.fencePeriod = 1
    let (taken, takers) = (Taken(), Takers())
    var sink = sink(configuration, fences: { taken.add($0) }, takers: { takers.count.load(ordering: .relaxed) })
    let wakeUp = try SinkWakeUp()
    for count in [0, 0, 1, 1] {
      takers.count.store(count, ordering: .relaxed)
      #expect(sink.idle(until: .max, wakeUp) == Delivery())
    }
    #expect(taken.all == [Array(body.utf8), Array(body.utf8)])
    #expect(store.requests.map { $0.headers["if-none-match"] } == [nil, "\"7\"", nil, "\"7\""])
  }

  private final class Takers: Sendable { let count = Atomic(0) }

  private final class Taken: Sendable {
    private let bodies = Mutex<[[UInt8]]>([])
    func add(_ body: [UInt8]) { bodies.withLock { $0.append(body) } }
    var all: [[UInt8]] { bodies.withLock { $0 } }
  }
}

/// A port of this machine on which nothing listens while this object exists.
final class UnusedPort: Sendable {
  let number: Int
  private let descriptor: Int32

  init() throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    number = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        _ = unsafe bind(descriptor, generic, length)
        _ = unsafe getsockname(descriptor, generic, &length)
      }
      return unsafe Int(UInt16(bigEndian: pointer.pointee.sin_port))
    }
  }

  deinit { close(descriptor) }
}
