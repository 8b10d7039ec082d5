import Foundation
import TestKit
import Testing

@testable import FleetstoreTestKit

/// Under any load, the server does not exceed its memory limit and loses no acknowledged record.
@Suite struct MemoryTests {
  @Test func many_large_bodies_at_once_are_all_stored_within_the_budget() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let settings = try scratch.write(
        "c.json",
        #"{"database":"sqlite:a.db","rate":{"perSecond":1e6,"burst":1e6},"limits":{"unpackedBytes":8388608,"memoryBytes":33554432}}"#
      )
      let store = try ServedStore(["--config", settings])
      defer { store.program.kill() }
      let token = try #require(store.token)
      let (port, senders, records) = (store.port, 24, 250)
      let text = String(repeating: "x", count: 15_000)
      let bodies = (0..<senders).map { sender in
        let lines = (1...records).map { LoadClient.record($0, sender).dropLast() + #","note":"\#(text)"}"# + "\n" }
        return Array(lines.joined().utf8)
      }
      // The first bodies are sent one after the other, to measure a single one.
      _ = try LoadSocket(port: store.port).post(Array(LoadClient.record(9_999, 0).utf8), key: token, coding: nil)
      let idle = try store.memoryKiB()
      let (stored, refused, failures) = (Counter(), Counter(), Counter())
      let group = DispatchGroup()
      for body in bodies {
        group.enter()
        Thread.detachNewThread {
          defer { group.leave() }
          do {
            while true {
              // The server may answer before the whole body is sent, and then close the connection. In that case,
              // connect again.
              let socket = try LoadSocket(port: port)
              guard let answer = try? socket.post(body, key: token, coding: nil), !answer.contains(" 503 ") else {
                _ = refused.add(1)
                continue
              }
              // Records that were stored without an answer are now duplicates.
              for word in ["stored", "duplicates"] {
                guard let range = answer.range(of: "\"\(word)\":") else { throw LoadSocket.Failure(what: answer) }
                _ = stored.add(Int(answer[range.upperBound...].prefix { $0.isNumber }) ?? 0)
              }
              return
            }
          } catch {
            _ = failures.add(1)
          }
        }
      }
      group.wait()
      #expect(failures.value == 0)
      #expect(stored.value == senders * records)
      // 90 MB of bodies count four times. The allocator and the cache of the database keep additional memory.
      let most = try store.memoryKiB("VmHWM") - idle
      print("\(senders) bodies at once: \(most) KiB on top of \(idle), \(refused.value) refused for a while")
      #expect(most < 120 << 10)
    }
  }

  @Test func fences_of_many_values_cost_no_more_than_one_key_may_have() async throws {
    let gzip = try Tool.required("gzip")
    try await runBlocking {
      let scratch = try ScratchFolder()
      let store = try ServedStore(["--config", try scratch.write("c.json", #"{"database":"sqlite:a.db"}"#)])
      defer { store.program.kill() }
      let token = try #require(store.token)
      // 32 MB of JSON in 32 KB: 15 million numbers, each of which needs an entry in a reader.
      let body = scratch.file("body")
      let made = try Tool.shell(
        "{ printf '{\"type\":\"FeatureCollection\",\"features\":[],\"x\":['; yes 0, | head -n 15000000 | tr -d '\\n'; "
          + "printf '0]}'; } | \(gzip) -9c > '\(body)'")
      #expect(made.status == 0, "\(made.errors)")
      let before = try store.memoryKiB("VmHWM")
      let reply = try store.request(
        "/api/geofences", token: token,
        ["-T", body, "-H", "Content-Type: application/json", "-H", "Content-Encoding: gzip", "-w", "%{http_code}"])
      #expect(reply.contains(#""code":"tooLarge""#) && reply.hasSuffix("413"), "\(reply)")
      let most = try store.memoryKiB("VmHWM") - before
      print("32 MB of fences: \(most) KiB on top of \(before)")
      #expect(most < 128 << 10)
    }
  }

  @Test(arguments: ["zstd", "gzip"])
  func a_bomb_is_refused_and_costs_no_more_than_its_limit(_ coding: String) async throws {
    let tool = try Tool.required(coding)
    try await runBlocking {
      let scratch = try ScratchFolder()
      let settings = try scratch.write("c.json", #"{"database":"sqlite:a.db","limits":{"unpackedBytes":1048576}}"#)
      let store = try ServedStore(["--config", settings])
      defer { store.program.kill() }
      let token = try #require(store.token)
      let record = try scratch.write("record", LoadClient.record(1, 0))
      func post(_ file: String, _ arguments: [String]) throws -> String {
        try store.request("/api/telemetry", token: token, ["--data-binary", "@\(file)"] + arguments)
      }
      #expect(try post(record, []).contains(#""stored":1"#))
      // 256 MiB of zeros.
      let bomb = scratch.file("bomb")
      #expect(try Tool.shell("head -c 268435456 /dev/zero | \(tool) -c > '\(bomb)'").status == 0)
      let before = try store.memoryKiB("VmHWM")
      let reply = try post(bomb, ["-H", "Content-Encoding: \(coding)", "-w", "%{http_code}"])
      #expect(reply.contains(#""code":"tooLarge""#) && reply.hasSuffix("413"), "\(reply)")
      // The limit is four times the decompressed size, and the memory that the allocator keeps.
      #expect(try store.memoryKiB("VmHWM") - before < 12 << 10)
    }
  }
}
