import Foundation
import TestKit
import Testing

@testable import FleetAPI

/// Whatever body comes, the server answers and goes on.
@Suite struct FuzzTests {
  /// `OBDGATE_FUZZ_BODIES` asks for more.
  private static var count: Int {
    ProcessInfo.processInfo.environment["OBDGATE_FUZZ_BODIES"].flatMap { Int($0) } ?? 5_000
  }

  @Test func malformed_bodies_are_answered_and_memory_stays() async throws {
    try await TestServer.run(.test { $0.limits.unpackedBytes = 1 << 20 }) { server in
      try await aside {
        var random = SplitMix(seed: 4711)
        var client = try server.client(server.keys.gateway)
        var statuses: [Int: Int] = [:]
        var settled = 0
        for round in 0..<Self.count {
          if round == Self.count / 4 { settled = try ProcessMemory.peakKiB }
          let (body, coding) = Self.body(&random)
          do {
            let reply = try client.send(
              "POST", "/api/telemetry", body, headers: coding.map { ["Content-Encoding": $0] } ?? [:])
            statuses[reply.status, default: 0] += 1
            if reply.headers["connection"] == "close" { client = try server.client(server.keys.gateway) }
          } catch {
            Issue.record("round \(round): \(error)")
            client = try server.client(server.keys.gateway)
          }
        }
        #expect(Set(statuses.keys).isSubset(of: [200, 400, 413]), "\(statuses)")
        #expect(statuses[200, default: 0] > Self.count / 10 && statuses[400, default: 0] > Self.count / 10)
        // Other tests run in the same process: what they take must not fail this one.
        #expect(try ProcessMemory.peakKiB - settled < 400 << 10)
        #expect(try client.send("POST", "/api/telemetry", [SampleRecord(1)].lines).status == 200)
      }
    }
  }

  /// A good body with something done to it, or none at all.
  private static func body(_ random: inout SplitMix) -> ([UInt8], coding: String?) {
    var body = (0..<Int.random(in: 0...3, using: &random)).map { _ in SampleRecord(.random(in: 1...50, using: &random))
    }
    .lines
    if Bool.random(using: &random) { body = [UInt8(ascii: "[")] + body.map { $0 == 0x0A ? 0x2C : $0 } + [0x5D] }
    for _ in 0..<Int.random(in: 0...6, using: &random) where !body.isEmpty {
      let place = Int.random(in: 0..<body.count, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: body[place] = UInt8.random(in: 0...255, using: &random)
      case 1: body.remove(at: place)
      case 2: body.removeSubrange(place...)
      case 3: body.insert(contentsOf: Self.pieces.randomElement(using: &random) ?? [], at: place)
      default: body += body[..<place]
      }
    }
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return ([0x28, 0xB5, 0x2F, 0xFD] + body, "zstd")
    case 1: return ([0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 3] + body, "gzip")
    case 2: return (Self.bombs.randomElement(using: &random) ?? [], "zstd")
    default: return (body, nil)
    }
  }

  private static let pieces: [[UInt8]] = [
    Array("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[".utf8), Array("null".utf8),
    Array(#"{"a":{"a":{"a":"#.utf8), Array("1e999".utf8), Array(#"\ud800"#.utf8), [0xFF, 0xFE], [0], Array("\"".utf8),
    Array("99999999999999999999999999".utf8), Array(",,".utf8),
  ]

  /// Frames of one repeated byte (RFC 8878, 3.1.1.2.2): 2 MiB each, of few bytes.
  private static let bombs: [[UInt8]] = [16, 64].map { blocks in
    var frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x58]
    for block in 0..<blocks {
      let header = UInt32(128 << 10) << 3 | 1 << 1 | (block == blocks - 1 ? 1 : 0)
      frame += [UInt8(header & 0xFF), UInt8(header >> 8 & 0xFF), UInt8(header >> 16 & 0xFF), 0x20]
    }
    return frame
  }
}

/// The same numbers on every run.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits >> 31
  }
}
