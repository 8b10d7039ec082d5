import Foundation
import Glibc
import TestKit
import Testing

@testable import FleetstoreTestKit

/// Measurements: run only if `FLEETSTORE_PROGRAM` names a release build and `FLEETSTORE_MEASURE` is set.
///
///     FLEETSTORE_MEASURE=1 FLEETSTORE_PROGRAM=.build/release/fleetstore swift test --filter MeasureTests --no-parallel
@Suite(
  .serialized,
  .enabled(
    if: ProcessInfo.processInfo.environment["FLEETSTORE_MEASURE"] != nil, "a measurement: make bench-store runs it"))
struct MeasureTests {
  /// Minimum duration of each measurement, s. In shorter runs, the noise exceeds the differences to be measured.
  private static let seconds = 10.0
  /// The number of batches in one round, which takes one to two seconds.
  private static let round = 2_000
  private static let settings = #"{"rate":{"perSecond":1e6,"burst":1e6},"live":{"behindBytes":16777216}"#

  @Test(arguments: ["sqlite", "postgres"])
  func ingest_of_packed_batches_is_measured(_ database: String) async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let server = database == "postgres" ? try PostgreSQLServer(isSynchronous: true) : nil
      let address = try server?.database() ?? "sqlite:\(scratch.file("fleet.db"))"
      let store = try ServedStore([
        "--config", try scratch.write("c.json", Self.settings + #","database":"\#(address)"}"#),
      ])
      defer { store.program.kill() }
      print("\(database): \(try store.memoryKiB()) KiB resident when idle")
      let keys = try (0..<8).map { try Self.addGateway($0, store) }
      var sent = 0
      for connections in [4, 8, 16] {
        let before = try Self.processorSeconds(store.program.pid)
        var bytes = 0
        let run = try LoadClient.send(for: Self.seconds) { _ in
          // Each record is new.
          let batches = LoadClient.batches(Self.round, gateways: keys.count, from: sent)
          sent += batches.count
          bytes += batches.reduce(0) { $0 + $1.count }
          let run = try LoadClient.send(batches, port: store.port, keys: keys, connections: connections)
          #expect(run.stored == batches.count * 100)
          return run
        }
        let used = try Self.processorSeconds(store.program.pid) - before
        let rate = Int(Double(run.stored) / run.seconds)
        print(
          "\(database): \(connections) connections, \(run.stored) records in \(run.seconds) s: \(rate)/s; "
            + "\(used) s of a core in the server: \(Int(Double(run.stored) / used)) records for each; "
            + "batch \(bytes * 100 / run.stored) bytes")
      }
      print("\(database): \(try store.memoryKiB()) KiB resident after that")
    }
  }

  /// The records, batches and connections are the same. They are sent uncompressed, which is faster for InfluxDB than
  /// gzip; it does not support zstd.
  @Test func ingest_of_the_same_records_into_influxdb_is_measured() async throws {
    try await runBlocking {
      let server = try InfluxServer()
      let gateways = 8
      for connections in [4, 8, 16] {
        let before = try Self.processorSeconds(server.program.pid)
        let run = try LoadClient.send(for: Self.seconds) { round in
          let batches = try (0..<Self.round).map { batch in
            let first = (round * Self.round + batch) / gateways * 100 + connections * 1_000_000
            let lines = try (1...100).map { try InfluxServer.line(LoadClient.record(first + $0, batch % gateways)) }
            return Array(lines.joined(separator: "\n").utf8)
          }
          return try LoadClient.send(batches, port: server.port, connections: connections) { socket, index in
            try socket.post(batches[index], to: "/write?db=fleet").contains(" 204 ") ? 100 : nil
          }
        }
        let used = try Self.processorSeconds(server.program.pid) - before
        print(
          "InfluxDB: \(connections) connections, \(run.stored) records in \(run.seconds) s: "
            + "\(Int(Double(run.stored) / run.seconds))/s; \(Int(Double(run.stored) / used)) for each second of a core")
      }
    }
  }

  @Test(arguments: [1_000, 5_000])
  func sending_to_many_subscribers_of_one_vehicle_is_measured(_ count: Int) async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let store = try ServedStore([
        "--config", try scratch.write("c.json", Self.settings + #","database":"sqlite:a.db"}"#),
      ])
      defer { store.program.kill() }
      let key = try Self.addGateway(0, store)
      let batches = LoadClient.batches(40, gateways: 1, records: 1)
      _ = try LoadClient.send([batches[0]], port: store.port, keys: [key], connections: 1)
      let listeners = try (0..<count).map { _ in try LiveListener(port: store.port, token: store.token ?? "") }
      for listener in listeners { try listener.awaitSubscribed() }
      print("\(count) subscribers: \(try store.memoryKiB()) KiB resident")
      var delays: [Double] = []
      let sender = try LoadSocket(port: store.port)
      for batch in batches.dropFirst() {
        let start = ContinuousClock.now
        _ = try sender.post(batch, key: key)
        delays += try LiveListener.await(listeners, from: start)
      }
      delays.sort()
      func at(_ part: Double) -> Double { delays[Int(Double(delays.count - 1) * part)] }
      print(
        "\(count) subscribers: \(delays.count) updates; from the request's first byte: median \(at(0.5)) ms, "
          + "p99 \(at(0.99)) ms, longest \(at(1)) ms")
    }
  }

  static func addGateway(_ number: Int, _ store: ServedStore) throws -> String {
    let answer = try store.request(
      "/api/gateways", token: store.token,
      ["-H", "Content-Type: application/json", "-d", #"{"id":"gw-\#(number)","vehicles":["VAN-\#(number)"]}"#])
    let json = try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any]
    return json?["key"] as? String ?? ""
  }

  static func processorSeconds(_ pid: pid_t) throws -> Double {
    let text = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
    let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
    return (Double(fields[12]) ?? 0) / 100 + (Double(fields[13]) ?? 0) / 100
  }
}
