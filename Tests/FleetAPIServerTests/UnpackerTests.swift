import NIOCore
import TestKit
import Testing

@testable import FleetAPI

@Suite struct UnpackerTests {
  /// Lengths near multiples of the length that is unpacked in one step.
  @Test(arguments: ["zstd", "gzip"], [0, 1, 65_535, 65_536, 65_537, 131_072, 300_000])
  func decompression_restores_the_bytes_in_any_chunks(_ tool: String, _ count: Int) throws {
    let program = try Tool.required(tool)
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    let packed = try Tool.run(program, ["-c"], stdin: bytes).stdout
    for size in [max(packed.count, 1), 1_000, 7] {
      #expect(try unpack(tool, packed, size: size, limit: count) == bytes)
    }
    if count > 0 {
      #expect(throws: APIError.self) { try unpack(tool, packed, size: 1_000, limit: count - 1) }
    }
    #expect(throws: APIError.self) { try unpack(tool, packed.dropLast(), size: 1_000, limit: count) }
    // Two frames in sequence give the contents of both.
    #expect(try unpack(tool, packed + packed, size: 999, limit: 2 * count) == bytes + bytes)
  }

  private func unpack(_ coding: String, _ packed: some Collection<UInt8>, size: Int, limit: Int) throws -> [UInt8] {
    var unpacker = try Unpacker(ContentCoding(field: coding), limit: limit)
    var rest = ByteBuffer(bytes: packed)
    while var piece = rest.readSlice(length: min(size, rest.readableBytes)), piece.readableBytes > 0 {
      while try unpacker.step(&piece) {}
    }
    return try unpacker.finish()
  }
}
