import Foundation
import TestKit

@testable import FleetstoreTestKit

/// Attacks with files.
extension AttackKind {
  /// Uploads of 4 MB in pieces of many lengths, and reads of them.
  static func upload(_ attack: Attack, _ keys: AttackKeys) {
    attack.begin(threads: 12) { attack, number in
      let socket = try attack.socket()
      let bytes = (0..<(4 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) }
      while !attack.isOver {
        let id = try create(attack, keys.admin, "/api/files", #"{"name":"a.bin","size":\#(bytes.count)}"#)
        let piece = number % 2 == 0 ? 4 << 20 : 4_096
        for start in stride(from: 0, to: bytes.count, by: piece) where !attack.isOver {
          let fields = "Upload-Offset: \(start)\r\nContent-Type: application/offset+octet-stream\r\n"
          _ = try socket.send(
            "PATCH", "/api/files/\(id)/content", key: keys.admin, Array(bytes[start..<min(start + piece, bytes.count)]),
            fields)
        }
        _ = try socket.get("/api/files/\(id)/content", key: keys.admin)
        _ = try socket.send("DELETE", "/api/files/\(id)", key: keys.admin, [])
      }
    }
  }

  /// Uploads of images that take long to decode.
  static func uploadImages(_ attack: Attack, _ keys: AttackKeys) throws {
    let scratch = try ScratchFolder()
    let program = """
      import random, struct, sys, zlib
      random.seed(1)
      side = 4000
      row = bytes([0]) + random.randbytes(100) * (3 * side // 100)
      def chunk(kind, data):
          return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
      header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
      data = zlib.compress(row * side)
      with open(sys.argv[1], "wb") as file:
          file.write(b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b""))
      """
    let made = try Tool.run("/usr/bin/python3", ["-c", program, scratch.file("a.png")])
    guard made.status == 0 else { throw TestData.Missing(made.errors) }
    let image = Array(try Data(contentsOf: URL(fileURLWithPath: scratch.file("a.png"))))
    attack.begin(threads: 8) { attack, number in
      let socket = try attack.socket()
      while !attack.isOver {
        // The server stores equal files once, so each has other bytes at its end.
        let bytes = image + Array(String(UInt64.random(in: 0 ... .max)).utf8)
        let id = try create(attack, keys.admin, "/api/files", #"{"name":"a.png","size":\#(bytes.count)}"#)
        let fields = "Upload-Offset: 0\r\nContent-Type: application/offset+octet-stream\r\n"
        _ = try socket.send("PATCH", "/api/files/\(id)/content", key: keys.admin, bytes, fields)
        _ = try socket.get("/api/files/\(id)/content?size=small", key: keys.admin)
      }
    }
  }
}
