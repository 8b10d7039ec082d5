import Foundation
import TestKit
import Testing

@testable import FleetstoreTestKit

/// The configuration file of the server, and the command that checks it.
@Suite struct ServerConfigurationTests {
  @Test(arguments: [
    (#"{"lisen":"127.0.0.1:1"}"#, "did you mean \"listen\""), (#"{"listen":"here"}"#, "[::1]:8080"),
    (#"{"limits":{"bodyBytes":1}}"#, "limits.bodyBytes"), (#"{"database":"mysql://u:hidden@x"}"#, "sqlite:FILE"),
    ("{", "1:2"),
    (#"{"broker":{"urls":["mqtt://u:hidden@h"]}}"#, "broker.urls[0]"),
    (#"{"broker":{"urls":["mqtt://h"],"tenant":"none"}}"#, "fleetstore tenant add none"),
    (#"{"broker":{"urls":["amqp://u@h"],"passwordFile":"none"}}"#, "broker.passwordFile"),
    (#"{"metrics":{}}"#, "tokenFile, listen or both"), (#"{"metrics":{"listen":"9464"}}"#, "127.0.0.1:8080"),
    (#"{"live":{"pingSeconds":0}}"#, "live.pingSeconds"), (#"{"logLevel":"loud"}"#, "logLevel"),
  ])
  func a_configuration_error_is_reported_with_its_position(_ text: String, _ message: String) async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let file = try scratch.write("fleetstore.json", text)
      let result = try FleetstoreProgram.run(["serve", "--listen", "127.0.0.1:0", "--config", file], in: scratch.path)
      #expect(result.status == 78, "\(result.errors)")
      let lines = result.errors.split(separator: "\n").filter { !$0.contains("first start") }
      #expect(lines.count == 1 && lines[0].contains(message), "\(result.errors)")
      #expect(!result.errors.contains("hidden"))
    }
  }

  @Test(arguments: [
    (
      #"{"database":"mysql://u:hidden@x"}"#,
      ":1:13: database: expected sqlite:FILE or postgres://USER@HOST/DATABASE, found"
    ),
    (#"{"tls":{"certificate":"none.pem","key":"none.key"}}"#, "none.pem: cannot be read: No such file or directory"),
    (#"{"metrics":{"tokenFile":"none.token"}}"#, "none.token: cannot be read: No such file or directory"),
    (#"{"databasePasswordFile":"none.password"}"#, "none.password: cannot be read: No such file or directory"),
    (#"{"broker":{"urls":["amqp://u@h"],"passwordFile":"none"}}"#, "/none: cannot be read: No such file or directory"),
    (#"{"databasePasswordFile":"word"}"#, "a password as \"database\" beside it, found none"),
    (#"{"broker":{"urls":["amqp://u:hidden@h"]}}"#, ":1:20: broker.urls[0]: expected a URL without a password, which"),
    (#"{"broker":{"urls":["amqp://u@h","mqtts://g"]}}"#, "all mqtt, found amqp://h:5672 and mqtts://g:8883"),
    (#"{"broker":{"urls":["amqp://u@h","mqtts://g"]}}"#, ":1:19: broker.urls: expected brokers of one cluster, all"),
    (#"{"broker":{"urls":[]}}"#, "all amqp or all mqtt, found none"),
    (#"{"broker":{"urls":["mqtt://h"],"tenant":"none"}}"#, ":1:41: broker.tenant: no tenant none"),
    (
      #"{"metrics":{"listen":"127.0.0.1:8099"},"listen":"127.0.0.1:8099"}"#,
      ":1:22: metrics.listen: expected an address or a port of its own, found 127.0.0.1:8099: the server listens on"
    ),
  ])
  func a_wrong_configuration_is_explained(_ text: String, _ message: String) async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      try scratch.writeSecret("word", "word\n")
      let file = try scratch.write("fleetstore.json", text)
      let result = try FleetstoreProgram.run(["serve", "--config", file], in: scratch.path)
      #expect(result.status == 78, "\(result.errors)")
      #expect(result.errors.contains(message), "\(result.errors)")
      #expect(result.errors.contains("fleetstore: \(file):1:"), "\(result.errors)")
      #expect(!result.errors.contains("hidden"), "\(result.errors)")
    }
  }

  @Test func every_fault_of_a_configuration_has_a_line_of_its_own() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let file = try scratch.write(
        "c.json",
        #"""
        {"lisen":1,"limits":{"bodyBytes":1,"unpackedBytes":"x","memoryBytes":1048576,"questions":0},
         "live":{"pingSeconds":0,"origins":"x"},"retention":{"days":{"dtc":0}},
         "broker":{"urls":["mqtt://u:hidden@h"],"topic":"#","prefetchMessages":0},
         "metrics":{"tokenFile":"none"},"tls":{"certificate":"none.pem","key":"none.key"}}
        """#)
      let result = try FleetstoreProgram.run(["serve", "--check", "--config", file], in: scratch.path)
      #expect(result.status == 78 && result.output.isEmpty)
      let places = result.errors.split(separator: "\n").map { line in
        line.split(separator: ": ").dropFirst().prefix(2).joined(separator: ": ").replacing(file, with: "c.json")
      }
      #expect(
        places == [
          "c.json:1:2: lisen", "c.json:1:34: limits.bodyBytes", "c.json:1:52: limits.unpackedBytes",
          "c.json:1:90: limits.questions", "c.json:2:24: live.pingSeconds", "c.json:2:36: live.origins",
          "c.json:2:68: retention.days.dtc", "c.json:3:20: broker.urls[0]", "c.json:3:49: broker.topic",
          "c.json:3:72: broker.prefetchMessages", "c.json:4:25: metrics.tokenFile", "c.json:4:54: tls.certificate",
          "c.json:4:71: tls.key",
        ], "\(result.errors)")
    }
  }

  @Test func check_names_a_database_that_cannot_be_made() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let cases = [
        ("none/fleet.db", "c.json:1:13: database: \(scratch.file("none")): No such file or directory"),
        ("file/fleet.db", "c.json:1:13: database: "), (".", "c.json:1:13: database: \(scratch.path)"),
      ]
      _ = try scratch.write("file", "")
      for (name, text) in cases {
        let file = try scratch.write("c.json", #"{"database":"sqlite:\#(name)"}"#)
        let result = try FleetstoreProgram.run(["serve", "--check", "--config", file], in: scratch.path)
        #expect(result.status == 78 && result.output.isEmpty && result.errors.contains(text), "\(result.errors)")
      }
      let option = ["serve", "--check", "--database", "sqlite:none/fleet.db"]
      let result = try FleetstoreProgram.run(option, in: scratch.path)
      #expect(result.status == 78 && result.errors.contains("fleetstore: --database: none: No such file"))
      #expect(!FileManager.default.fileExists(atPath: scratch.file("none")))
    }
  }

  @Test func check_reports_a_running_server_and_a_faulty_web_app() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let database = ["--database", "sqlite:\(scratch.file("fleet.db"))"]
      let store = try ServedStore(database)
      defer { store.program.kill() }
      let long = "/app.js"
      let folder = scratch.file("web")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try scratch.write(
        "web/site.json",
        #"{"files":[{"path":"\#(long)","type":"text/javascript","tag":"a","immutable":true,"codings":[]}]}"#)
      try scratch.write("web" + long, "")
      #expect(unsafe truncate(folder + long, (16 << 20) + 1) == 0)
      let file = try scratch.write("c.json", #"{"web":{"folder":"web"}}"#)
      let result = try FleetstoreProgram.run(["serve", "--check", "--config", file] + database, in: scratch.path)
      #expect(result.status == 0 && result.output.hasPrefix("{"), "\(result.errors)")
      let lines = result.errors.split(separator: "\n")
      #expect(lines.count == 2, "\(lines)")
      #expect(lines[0].hasPrefix("fleetstore: warning: no web app, only the API: \(folder)\(long): longer than 16 MiB"))
      #expect(lines[1] == "fleetstore: \(scratch.file("fleet.db")): served by process \(store.program.pid) now")
    }
  }

  @Test func check_prints_every_option_of_the_file() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let certificates = try Certificates()
      try certificates.write("server", in: scratch)
      try FileManager.default.copyItem(atPath: certificates.authority, toPath: scratch.file("ca.pem"))
      try scratch.writeSecret("word", "s3cret\n")
      try scratch.writeSecret("token", String(repeating: "m", count: 40) + "\n")
      try scratch.writeSecret("keys", String(repeating: "0a", count: 32) + "\n")
      let days = ["telemetry", "vehicle", "dtc", "monitors", "geofence", "trip", "driving", "adapter", "gap", "other"]
      let file = try scratch.write(
        "c.json",
        #"""
        {"database":"postgres://fleet@127.0.0.1/fleet","databasePasswordFile":"word",
         "tls":{"certificate":"server.pem","key":"server.key"},"live":{"origins":["https://a.example"]},
         "limits":{"tenantBytes":1073741824},"metrics":{"tokenFile":"token","listen":"127.0.0.1:9464"},
         "accounts":{"url":"https://fleet.example","secretKeysFile":"keys"},"files":{"folder":"contents"},
         "mail":{"url":"smtps://mail.example","from":"Fleet <fleet@example.com>","user":"fleet","passwordFile":"word",
          "caFile":"ca.pem"},
         "web":{"folder":"web","map":{"tiles":"a.mbtiles","attribution":"© A","maxZoom":14}},"retention":{"days":{\#(days.map { "\"\($0)\":1" }.joined(separator: ","))}},
         "broker":{"urls":["mqtts://fleet@127.0.0.1"],"passwordFile":"word",
          "tls":{"caFile":"ca.pem","certificateFile":"server.pem","keyFile":"server.key"}}}
        """#)
      let result = try FleetstoreProgram.run(["serve", "--check", "--config", file], in: scratch.path)
      #expect(result.status == 0, "\(result.errors)")
      #expect(!result.output.contains("s3cret") && !result.output.contains("mmmm"))
      let schema = try JSONSerialization.jsonObject(
        with: try Data(contentsOf: URL(fileURLWithPath: TestData.projectRoot + "/fleetstore.schema.json")))
      let printed = try JSONSerialization.jsonObject(with: Data(result.stdout))
      // A server has either a folder or a bucket for files.
      let peer = try S3Peer()
      try scratch.writeSecret("s3key", S3Peer.secretKey + "\n")
      let inBucket = try scratch.write(
        "s3.json",
        #"""
        {"files":{"s3":{"url":"http://127.0.0.1:\#(peer.port)","bucket":"\#(S3Peer.bucket)","region":"us-east-1",
         "prefix":"a/","addressing":"path","accessKey":"\#(S3Peer.accessKey)","secretKeyFile":"s3key",
         "caFile":"ca.pem","insecure":true}}}
        """#)
      let bucket = try FleetstoreProgram.run(["serve", "--check", "--config", inBucket], in: scratch.path)
      #expect(bucket.status == 0, "\(bucket.errors)")
      let other = try JSONSerialization.jsonObject(with: Data(bucket.stdout))
      let missing = Self.keys(schema, of: schema).subtracting(Self.keys(of: printed)).subtracting(Self.keys(of: other))
      #expect(missing == ["$schema"])
    }
  }

  /// Returns the keys of an object as paths.
  private static func keys(of value: Any) -> Set<String> {
    guard let object = value as? [String: Any] else { return [] }
    return object.reduce(into: []) { all, member in
      all.formUnion([member.key] + keys(of: member.value).map { "\(member.key).\($0)" })
    }
  }

  @Test func a_configuration_says_where_and_how() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let file = try scratch.write(
        "fleetstore.json",
        #"{"database":"sqlite:other.db","rate":{"perSecond":0.01,"burst":1},"limits":{"bodyBytes":1024},"logLevel":"debug"}"#
      )
      let store = try ServedStore(["--config", file])
      defer { store.program.kill() }
      #expect(FileManager.default.fileExists(atPath: scratch.file("other.db")))
      #expect(try store.request("/api/vehicles", token: store.token) == #"{"data":[]}"#)
      #expect(try store.request("/api/vehicles", token: store.token).contains("tooManyRequests"))
      // Even the most detailed log contains neither the token nor the query.
      #expect(
        try store.program.errorLine(within: .seconds(20)) { $0.contains("GET /api/vehicles 429") }.text
          .hasPrefix("fleetstore: debug: ")
      )
      #expect(!store.program.errorLines.contains { $0.contains(store.token ?? "?") })
    }
  }

  /// Returns the keys that a schema has, as paths.
  private static func keys(_ schema: Any, of whole: Any) -> Set<String> {
    guard var object = schema as? [String: Any] else { return [] }
    if let name = (object["$ref"] as? String)?.split(separator: "/").last,
      let named = ((whole as? [String: Any])?["$defs"] as? [String: Any])?[String(name)] as? [String: Any]
    {
      object.merge(named) { $1 }
    }
    return (object["properties"] as? [String: Any] ?? [:]).reduce(into: []) { all, member in
      all.formUnion([member.key] + keys(member.value, of: whole).map { "\(member.key).\($0)" })
    }
  }
}
