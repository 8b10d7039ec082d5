import TestKit

@testable import FleetstoreTestKit

/// Valid bodies, some of which are then damaged. The sequence is the same in every run.
///
/// Only a few are generated completely, because that takes longer than the answer. The others are copies with one or
/// two changed bytes, so that every body is different.
struct FuzzedBodies {
  private var random: SplitMix
  private var pool: [([UInt8], coding: String?)] = []
  private var count = 0

  init(seed: UInt64) { random = SplitMix(seed: seed) }

  mutating func next() -> ([UInt8], coding: String?) {
    count += 1
    if pool.count < 64 {
      pool.append(make())
    } else if count % 16 == 0 {
      pool[Int.random(in: 0..<64, using: &random)] = make()
    }
    var (body, coding) = pool[Int.random(in: 0..<pool.count, using: &random)]
    // Most changes damage a compressed body so that it cannot be decompressed. Therefore, compressed bodies are changed
    // less often.
    let changes = coding == nil ? Int.random(in: 0...2, using: &random) : Int.random(in: 0...3, using: &random) / 3
    for _ in 0..<changes where !body.isEmpty {
      body[Int.random(in: 0..<body.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
    }
    return (body, coding)
  }

  private mutating func make() -> ([UInt8], coding: String?) {
    var body: [UInt8] = []
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      body += Array((LoadClient.record(.random(in: 1...50, using: &random), 0) + "\n").utf8)
    }
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
    switch Int.random(in: 0..<10, using: &random) {
    case 0: return ([0x28, 0xB5, 0x2F, 0xFD] + body, "zstd")
    case 1: return ([0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 3] + body, "gzip")
    case 2: return (Self.bombs.randomElement(using: &random) ?? [], "zstd")
    case 3: return (LoadClient.packed(body), "zstd")
    default: return (body, nil)
    }
  }

  private static let pieces: [[UInt8]] = [
    [UInt8](repeating: UInt8(ascii: "["), count: 70), Array("null".utf8), Array(#"{"a":{"a":{"a":"#.utf8),
    Array("1e999".utf8), Array(#"\ud800"#.utf8), [0xFF, 0xFE], [0], Array("\"".utf8),
    Array("99999999999999999999999999".utf8), Array(",,".utf8), [UInt8](repeating: 0x0A, count: 300),
    [UInt8](repeating: UInt8(ascii: "1"), count: 20_000),
  ]

  /// Frames of one repeated byte (RFC 8878, 3.1.1.2.2) that expand to 2 MiB and more, and many equal lines that were
  /// compressed.
  private static let bombs: [[UInt8]] =
    [16, 64, 8_000].map { blocks in
      var frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x58]
      for block in 0..<blocks {
        let header = UInt32(128 << 10) << 3 | 1 << 1 | (block == blocks - 1 ? 1 : 0)
        frame += [UInt8(header & 0xFF), UInt8(header >> 8 & 0xFF), UInt8(header >> 16 & 0xFF), 0x20]
      }
      return frame
    } + [LoadClient.packed((0..<60_000).flatMap { _ in [UInt8(ascii: "1"), 0x0A] })]
}
