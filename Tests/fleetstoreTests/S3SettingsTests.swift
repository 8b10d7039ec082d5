import Foundation
import TestKit
import Testing

@testable import FleetstoreTestKit

/// The settings of S3-compatible storage, for the schema and for the program, which also asks the storage.
@Suite struct S3SettingsTests {
  /// The changes of valid settings, as JSON, with whether the result is valid.
  private static let cases: [(change: String, isRight: Bool)] = [
    ("{}", true), (#"{"prefix":""}"#, true), (#"{"prefix":"a/b"}"#, true), (#"{"prefix":"/a"}"#, false),
    (#"{"prefix":"a//b"}"#, false), (#"{"region":""}"#, false), (#"{"region":"eu central"}"#, false),
    (#"{"addressing":"other"}"#, false), (#"{"bucket":"F"}"#, false), (#"{"bucket":"-files"}"#, false),
    (#"{"url":"ftp://127.0.0.1"}"#, false), (#"{"url":7}"#, false), (#"{"accessKey":"a b"}"#, false),
    (#"{"accessKey":""}"#, false), (#"{"insecure":"yes"}"#, false), (#"{"zzz":1}"#, false),
  ]

  @Test func the_schema_and_the_server_accept_the_same_settings() async throws {
    let program = try Tool.fleetstore
    let python = try Tool.python(with: "jsonschema")
    try await runBlocking {
      let scratch = try ScratchFolder()
      let peer = try S3Peer()
      try scratch.writeSecret("key", S3Peer.secretKey + "\n")
      let script = """
        import json, jsonschema, sys
        schema = json.load(open(sys.argv[1]))
        print(jsonschema.Draft202012Validator(schema).is_valid(json.load(open(sys.argv[2]))))
        """
      for (change, isRight) in Self.cases {
        var bucket: [String: Any] = [
          "url": "http://127.0.0.1:\(peer.port)", "bucket": S3Peer.bucket, "accessKey": S3Peer.accessKey,
          "secretKeyFile": "key",
        ]
        let changed = try #require(try JSONSerialization.jsonObject(with: Data(change.utf8)) as? [String: Any])
        bucket.merge(changed) { $1 }
        let text = try JSONSerialization.data(withJSONObject: ["files": ["s3": bucket]])
        let file = try scratch.write("c.json", String(decoding: text, as: UTF8.self))
        let ran = try Tool.run(program, ["serve", "--check", "--config", file], directory: scratch.path)
        #expect(ran.status == (isRight ? 0 : 78), "\(change): \(ran.errors)")
        #expect(isRight || ran.errors.contains("c.json:1:"), "\(change): \(ran.errors)")
        let schema = try Tool.run(python, ["-c", script, TestData.projectRoot + "/fleetstore.schema.json", file])
        #expect(schema.output == (isRight ? "True\n" : "False\n"), "\(change): \(schema.errors)")
      }
    }
  }
}
