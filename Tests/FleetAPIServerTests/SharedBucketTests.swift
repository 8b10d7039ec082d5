import Crypto
import FleetDomain
import FleetFiles
import Foundation
import Peers
import TestKit
import Testing

@testable import FleetAPI

/// Files in S3-compatible storage: several servers share it, and its faults have answers.
@Suite struct SharedBucketTests {
  private static func options(_ peer: S3Peer) throws -> ServerOptions {
    let url = try #require(ServiceURL("http://127.0.0.1:\(peer.port)", schemes: [("http", 80)]))
    var bucket = S3Bucket(url: url, name: S3Peer.bucket, region: "us-east-1")
    (bucket.accessKey, bucket.secretKey) = (S3Peer.accessKey, S3Peer.secretKey)
    var options = ServerOptions.test { _ in }
    options.files.s3 = bucket
    return options
  }

  private static func append(
    _ client: TestClient, _ id: String, _ offset: Int, _ bytes: some Collection<UInt8>
  ) throws -> TestClient.Reply {
    try client.send(
      "PATCH", "/api/files/\(id)/content", Array(bytes),
      headers: ["Upload-Offset": "\(offset)", "Content-Type": "application/offset+octet-stream"])
  }

  /// Each piece goes to the other server, and another upload of the same content is completed at the same time.
  @Test func pieces_of_an_upload_arrive_at_two_servers_that_share_a_bucket() async throws {
    let address = try await runBlocking { try PostgreSQLServer.shared.database() }
    let peer = try await runBlocking { try S3Peer() }
    try await TestServer.runTwo(Self.options(peer), on: address) { first, second in
      let bytes = (0..<(6 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 13 ^ $0 >> 10) }
      let ids = try await withThrowingTaskGroup(of: String.self) { group in
        for servers in [[first, second], [second, first]] {
          group.addTask {
            try await runBlocking {
              let clients = try servers.map { try $0.client(first.keys.admin) }
              let made = try clients[0].send("POST", "/api/files", json: #"{"name":"a","size":\#(bytes.count)}"#)
              let id = try #require(try made.json["id"] as? String, "\(made.text)")
              var offset = 0
              for (index, end) in [1, 1_000_000, 5 << 20, (5 << 20) + 1, bytes.count].enumerated() {
                let reply = try Self.append(clients[index % 2], id, offset, bytes[offset..<end])
                #expect(reply.status == 204 && reply.headers["upload-offset"] == "\(end)", "\(reply.text)")
                offset = end
                if end < bytes.count {
                  let head = try clients[(index + 1) % 2].send("HEAD", "/api/files/\(id)/content")
                  #expect(head.headers["upload-offset"] == "\(end)", "\(head.status)")
                }
              }
              return id
            }
          }
        }
        return try await group.reduce(into: [String]()) { $0.append($1) }
      }
      try await runBlocking {
        for (server, id) in zip([first, second], ids) {
          let client = try server.client(first.keys.admin)
          let file = try client.send("GET", "/api/files/\(id)").json
          #expect(file["sha256"] as? String == Hexadecimal.text(Array(SHA256.hash(data: bytes))))
          #expect(try client.send("GET", "/api/files/\(id)/content").body == bytes)
          let part = try client.send(
            "GET", "/api/files/\(id)/content", headers: ["Range": "bytes=1048570-1048580"])
          #expect(part.status == 206 && part.body == Array(bytes[1_048_570...1_048_580]))
        }
      }
    }
  }

  @Test func a_bucket_that_is_down_is_answered_503_and_loses_nothing() async throws {
    let peer = try await runBlocking { try S3Peer() }
    try await TestServer.run(Self.options(peer)) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let made = try client.send("POST", "/api/files", json: #"{"name":"a","size":6}"#)
        let id = try #require(try made.json["id"] as? String, "\(made.text)")
        #expect(try Self.append(client, id, 0, [1, 2, 3]).status == 204)
        try peer.fail("reset", count: 1_000)
        let refused = try Self.append(client, id, 3, [4, 5, 6])
        #expect(refused.status == 503 && refused.headers["retry-after"] != nil, "\(refused.text)")
        // Records and other things do not need the bucket.
        #expect(try client.send("GET", "/api/vehicles").status == 200)
        try peer.clear()
        var head = try client.send("HEAD", "/api/files/\(id)/content")
        // For a short time, requests fail without being sent.
        let deadline = ContinuousClock.now + .seconds(60)
        while head.status == 503, .now < deadline { head = try client.send("HEAD", "/api/files/\(id)/content") }
        #expect(head.status == 200 && head.headers["upload-offset"] == "3")
        #expect(try Self.append(client, id, 3, [4, 5, 6]).status == 204)
        #expect(try client.send("GET", "/api/files/\(id)/content").body == [1, 2, 3, 4, 5, 6])
      }
    }
  }
}
