import Foundation
import TestKit
import Testing

@testable import DaemonTestKit

/// Many programs follow the records of one daemon.
@Suite struct ManyFollowersTests {
  @Test func a_hundred_followers_each_get_every_record() async throws {
    try await runBlocking {
      let watched = try Watched(Watched.kept)
      // Each of them reports its numbers when it has thirty consecutive ones.
      let script = """
        import json, selectors, socket, sys
        ready, crowd = selectors.DefaultSelector(), {}
        for _ in range(100):
          s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
          s.sendall(b"GET /records HTTP/1.1\\r\\n\\r\\n")
          crowd[s] = b""
          ready.register(s, selectors.EVENT_READ)
        records, left, heads = {s: [] for s in crowd}, set(crowd), set()
        while left:
          for key, _ in ready.select():
            s = key.fileobj
            more = s.recv(65536)
            if not more: sys.exit("hung up on: " + crowd[s].decode())
            crowd[s] += more
            if s not in heads:
              head, end, rest = crowd[s].partition(b"\\r\\n\\r\\n")
              if not end: continue
              if b" 200 " not in head: sys.exit(head.decode())
              heads.add(s); crowd[s] = rest
            *lines, crowd[s] = crowd[s].split(b"\\n")
            records[s] += [json.loads(line)["seq"] for line in lines]
            if len(heads) == len(crowd) and len(records[s]) >= 30: left.discard(s)
        for numbers in records.values():
          print(json.dumps([numbers[0], numbers[-1], len(numbers)]), flush=True)
        """
      let result = try Tool.run(
        try Tool.required("python3"), ["-c", script, watched.socket], limit: .seconds(300))
      #expect(result.status == 0, "\(result.errors)")
      let seen = try result.lines.map { line in
        try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [Int])
      }
      #expect(seen.count == 100)
      for numbers in seen { #expect(numbers[1] - numbers[0] + 1 == numbers[2], "\(numbers)") }
      #expect(try watched.status()["pid"] as? Int == Int(watched.run.daemon.pid))
    }
  }
}
