import Foundation
import Glibc
import TestKit
import Testing

@testable import FleetstoreTestKit

/// Measurements of uploads; see ``MeasureTests``.
@Suite(
  .serialized,
  .enabled(
    if: ProcessInfo.processInfo.environment["FLEETSTORE_MEASURE"] != nil, "a measurement: make bench-store runs it"))
struct UploadMeasureTests {
  private static let settings =
    #"{"rate":{"perSecond":1e6,"burst":1e6},"database":"sqlite:fleet.db","files":{"tenantBytes":109951162777600,"personBytes":109951162777600}}"#

  /// Uploads files one after another over one connection.
  private final class Uploader: @unchecked Sendable {
    private let socket: LoadSocket
    private let token: String
    private var bytes: [UInt8]
    private var number: UInt64

    init(_ store: ServedStore, size: Int, seed: UInt64) throws {
      socket = try LoadSocket(port: store.port)
      token = store.token ?? ""
      var random = SplitMix(seed: seed)
      number = random.next() >> 20
      bytes = (0..<size / 8).flatMap { _ in Self.bytes(random.next()) }
    }

    private static func bytes(_ number: UInt64) -> [UInt8] {
      (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    /// Uploads one file in one request. Each file has another content.
    ///
    /// - Returns: the time from the first byte of the content to the answer, s.
    func upload() throws -> Double {
      number += 1
      bytes.replaceSubrange(0..<8, with: Self.bytes(number))
      let id = "01980000-0000-7000-8000-" + String(format: "%012llx", number)
      let made = try socket.send(
        "PUT", "/api/files/\(id)", key: token, Array(#"{"name":"a.bin","size":\#(bytes.count)}"#.utf8),
        "Content-Type: application/json\r\nIf-None-Match: *\r\n")
      #expect(made.contains(" 201 "), "\(made)")
      let start = ContinuousClock.now
      let answer = try socket.send(
        "PATCH", "/api/files/\(id)/content", key: token, bytes,
        "Upload-Offset: 0\r\nContent-Type: application/offset+octet-stream\r\n")
      #expect(answer.contains(" 204 "), "\(answer)")
      return (ContinuousClock.now - start) / .seconds(1)
    }
  }

  @Test func memory_and_time_of_20_megabyte_uploads_are_measured() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let store = try ServedStore(["--config", try scratch.write("c.json", Self.settings)])
      defer { store.program.kill() }
      let uploader = try Uploader(store, size: 20_000_000, seed: 1)
      _ = try uploader.upload()
      let (memory, used) = (try store.memoryKiB(), try MeasureTests.processorSeconds(store.program.pid))
      var times = try (0..<40).map { _ in try uploader.upload() }
      times.sort()
      let cpu = try MeasureTests.processorSeconds(store.program.pid) - used
      print(
        "20 MB uploads: median \(Int(20 / times[20])) MB/s, slowest \(Int(20 / times[39])) MB/s, fastest "
          + "\(Int(20 / times[0])) MB/s; \(Int(cpu / 40 * 1_000)) ms of a core each; \(memory) KiB resident after one, "
          + "\(try store.memoryKiB()) KiB after all")
    }
  }

  /// A client sends 50 batches a second, alone and while another one uploads without a pause. The rounds alternate, so
  /// that a slower disk affects both.
  @Test func ingest_during_uploads_is_measured() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let store = try ServedStore(["--config", try scratch.write("c.json", Self.settings)])
      defer { store.program.kill() }
      let key = try MeasureTests.addGateway(0, store)
      let uploader = try Uploader(store, size: 20_000_000, seed: 2)
      let batches = LoadClient.batches(4_000, gateways: 1)
      var sent = 0
      var delays: [Bool: [Double]] = [:]
      for round in 0..<8 {
        let isUploading = round % 2 == 1
        let (stop, ended) = (Counter(), DispatchGroup())
        if isUploading {
          ended.enter()
          Thread.detachNewThread {
            // An upload that fails is reported by its own check.
            while stop.value == 0 { if (try? uploader.upload()) == nil { break } }
            ended.leave()
          }
        }
        let socket = try LoadSocket(port: store.port)
        let start = ContinuousClock.now
        for number in 0..<500 {
          usleep(useconds_t(max(0, (start + .milliseconds(20 * number) - .now) / .microseconds(1))))
          let begun = ContinuousClock.now
          #expect(try socket.post(batches[sent], key: key).contains(" 200 "))
          delays[isUploading, default: []].append((ContinuousClock.now - begun) / .milliseconds(1))
          sent += 1
        }
        _ = stop.add(1)
        ended.wait()
      }
      for (isUploading, times) in delays.sorted(by: { !$0.key && $1.key }) {
        let sorted = times.sorted()
        print(
          "ingest \(isUploading ? "during uploads" : "alone"): median \(sorted[sorted.count / 2]) ms, p99 "
            + "\(sorted[sorted.count * 99 / 100]) ms, longest \(sorted[sorted.count - 1]) ms")
      }
    }
  }
}
