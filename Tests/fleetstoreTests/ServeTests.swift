import Foundation
import TestKit
import Testing

@testable import FleetstoreTestKit

/// `fleetstore serve` from an operator's point of view.
@Suite struct ServeTests {
  @Test func the_first_start_needs_nothing_and_shows_a_token_once() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let database = ["--database", "sqlite:\(scratch.file("fleet.db"))"]
      let first = try ServedStore(database)
      defer { first.program.kill() }
      let token = try #require(first.token)
      #expect(try first.request("/api/vehicles", token: token) == #"{"data":[]}"#)
      first.program.send(SIGTERM)
      #expect(try first.program.end(within: .seconds(60)) == 0)
      #expect(first.program.errorLines.contains { $0.contains("first start") })
      #expect(!first.program.errorLines.contains { $0.contains(token) })
      #expect(
        first.program.errorLines.filter { !$0.hasPrefix("fleetstore:") }.allSatisfy { $0.hasPrefix("<") },
        "\(first.program.errorLines)")

      let second = try ServedStore(database, isFirst: false)
      defer { second.program.kill() }
      #expect(try second.request("/api/vehicles", token: token) == #"{"data":[]}"#)
      second.program.send(SIGTERM)
      #expect(try second.program.end(within: .seconds(60)) == 0)
      #expect(second.program.output.isEmpty)
      #expect(!second.program.errorLines.contains { $0.contains("first start") })
      // The secret itself is nowhere in the file.
      let bytes = try Data(contentsOf: URL(fileURLWithPath: scratch.file("fleet.db")))
      #expect(bytes.range(of: Data(token.utf8)) == nil)
    }
  }

  /// An unknown key is refused, and its gateway waits until it is valid.
  @Test(arguments: [
    ["gateway", "add", "gw-1"], ["gateway", "rotate", "gw-0"], ["token", "add", "--role", "readOnly"],
    ["gateway", "list"],
  ])
  func a_failure_to_write_to_stdout_is_reported(_ arguments: [String]) async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      #expect(
        try FleetstoreProgram.run(
          ["gateway", "add", "gw-0", "--create", "--database", "sqlite:fleet.db"], in: scratch.path
        ).status == 0)
      let words = [try FleetstoreProgram.path] + arguments + ["--database", "sqlite:fleet.db"]
      let said = try Tool.run("sh", ["-c", #""$@" >/dev/full"#, "sh"] + words, directory: scratch.path)
      #expect(said.status == 74)
      #expect(said.errors.contains("standard output: cannot be written: No space left on device"), "\(said.errors)")
      #expect(said.errors.contains("rotate") == (arguments[0] == "gateway" && arguments[1] != "list"))
      let unread = try Tool.run(
        "bash", ["-c", #"set -o pipefail; (sleep 0.2; exec "$@") | true"#, "sh"] + words, directory: scratch.path)
      #expect(!unread.errors.contains("standard output"), "nobody need read: \(unread.errors)")
    }
  }

  @Test(arguments: [
    ["gateway", "add", "gw-1"], ["gateway", "list"], ["token", "add", "--role", "admin"], ["tenant", "list"],
    ["restored"],
  ])
  func a_mistyped_database_is_not_created(_ arguments: [String]) async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let result = try FleetstoreProgram.run(arguments + ["--database", "sqlite:fleat.db"], in: scratch.path)
      #expect(result.status == 66, "\(result.errors)")
      #expect(
        result.errors
          == "fleetstore: fleat.db: there is no database; fleetstore serve makes it, and so does this command with --create\n"
      )
      #expect(result.output.isEmpty)
      #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
    }
  }

  @Test func a_second_server_of_a_file_is_refused_and_commands_are_not() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let database = ["--database", "sqlite:\(scratch.file("fleet.db"))"]
      let first = try ServedStore(database)
      defer { first.program.kill() }
      let second = try FleetstoreProgram.run(["serve", "--listen", "127.0.0.1:0"] + database, in: scratch.path)
      #expect(second.status == 69)
      #expect(
        second.errors.hasPrefix("fleetstore: \(scratch.file("fleet.db")): served already by process "),
        "\(second.errors)")
      #expect(second.errors.split(separator: "\n").count == 1)
      let key = try FleetstoreProgram.run(["gateway", "add", "gw-1"] + database, in: scratch.path)
      #expect(key.status == 0, "\(key.errors)")
      #expect(try first.request("/api/gateways", token: first.token).contains("gw-1"))
      // Only the owner can read the files.
      for end in ["", "-wal", "-shm", "-server"] {
        let file = scratch.file("fleet.db") + end
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600, "\(file)")
      }
      // A server that was killed leaves no lock.
      first.program.kill()
      let third = try ServedStore(database, isFirst: false)
      defer { third.program.kill() }
      #expect(!third.program.errorLines.contains { $0.contains("restored") }, "\(third.program.errorLines)")
    }
  }

  @Test func a_gateways_vehicle_is_named_once() throws {
    let scratch = try ScratchFolder()
    let refused = try FleetstoreProgram.run(
      ["gateway", "add", "gw-1", "--vehicle", "a", "--vehicle", "a", "--database", "sqlite:fleet.db"], in: scratch.path)
    #expect(refused.status == 64)
    #expect(refused.errors.contains("--vehicle \"a\" given twice"), "\(refused.errors)")
  }

  @Test func a_token_that_only_reads_does_not_take_the_administrators_away() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let database = ["--database", "sqlite:\(scratch.file("fleet.db"))"]
      let made = try FleetstoreProgram.run(
        ["token", "add", "--role", "readOnly", "--create"] + database, in: scratch.path)
      #expect(made.status == 0 && made.output.hasPrefix("fst_"))
      let store = try ServedStore(database)
      defer { store.program.kill() }
      #expect(try store.request("/api/tokens", token: store.token).contains(#""role":"admin""#))
    }
  }

  @Test func a_brokers_password_may_stand_in_the_environment() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let passwords = scratch.file("passwords")
      try Tool.required("mosquitto_passwd")
      #expect(try Tool.run("mosquitto_passwd", ["-c", "-b", passwords, "fleet", "right-one"]).status == 0)
      let broker = try Mosquitto("allow_anonymous false\npassword_file \(passwords)", in: scratch)
      for (password, database, said) in [
        ("right-one", "first.db", "records are taken from it"), ("wrong-one", "second.db", "trying again"),
      ] {
        let program = try RunningProgram(
          try FleetstoreProgram.path,
          [
            "serve", "--listen", "127.0.0.1:0", "--database", "sqlite:\(scratch.file(database))", "--broker",
            "mqtt://fleet@127.0.0.1:\(broker.port)",
          ], environment: ["FLEETSTORE_BROKER_PASSWORD": password])
        defer { program.kill() }
        try program.errorLine(within: .seconds(60)) { $0.contains(said) }
        #expect(!program.errorLines.contains { $0.contains(password) })
      }
    }
  }

  @Test func keys_created_beside_a_running_server_are_valid_there() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let database = ["--database", "sqlite:\(scratch.file("fleet.db"))"]
      let store = try ServedStore(database)
      defer { store.program.kill() }
      func make(_ arguments: [String]) throws -> String {
        let result = try FleetstoreProgram.run(arguments + database, in: scratch.path)
        #expect(result.status == 0, "\(result.errors)")
        return result.output.trimmingCharacters(in: .newlines)
      }
      let key = try make(["gateway", "add", "gw-1", "--vehicle", "VAN-1"])
      #expect(key.hasPrefix("fsk_") && !key.contains("\n"))
      #expect(try store.request("/api/geofences", token: key).contains("\"features\":[]"))
      let reader = try make(["token", "add", "--role", "readOnly", "--label", "display"])
      #expect(try store.request("/api/gateways", token: reader).contains(#""id":"gw-1","vehicles":["VAN-1"]"#))
      #expect(try make(["gateway", "list"]).hasPrefix("gw-1\tgood\t"))

      _ = try make(["tenant", "add", "north"])
      #expect(try make(["tenant", "list"]) == "default\nnorth")
      let north = try make(["token", "add", "--role", "admin", "--tenant", "north"])
      #expect(try store.request("/api/gateways", token: north) == #"{"data":[]}"#)
      let rotated = try make(["gateway", "rotate", "gw-1"])
      #expect(try store.request("/api/geofences", token: rotated).contains("\"features\":[]"))
      _ = try make(["gateway", "revoke", "gw-1"])
      #expect(try make(["gateway", "list"]).hasPrefix("gw-1\trevoked\t"))
      let listed = try make(["token", "list"])
      #expect(listed.contains("\treadOnly\tgood\t") && listed.contains("\tdisplay"))
      let id = listed.split(separator: "\n").first { $0.contains("display") }?.prefix(36) ?? ""
      _ = try make(["token", "revoke", String(id)])
      #expect(try make(["token", "list"]).contains("\treadOnly\trevoked\t"))
    }
  }

  @Test(arguments: [
    (["serve", "--broker", "amqp://fleet:secret@127.0.0.1"], 64, "passwordFile"),
    (["serve", "--broker", "amqp://fleet@127.0.0.1", "--broker", "mqtt://127.0.0.1"], 64, "all amqp or all mqtt"),
    (["serve", "--database", "postgres://fleet:secret@127.0.0.1/fleet"], 64, "PGPASSFILE"),
    (["serve", "--database", "mysql://u:hidden@x"], 64, "sqlite:FILE"),
    (["serve", "--listen", "nonsense"], 64, "127.0.0.1:8080"), (["serve", "--config", "none.json"], 66, "none.json"),
    (["serve", "--listen", "127.0.0.1:0", "--database", "sqlite:/nowhere/at/all.db"], 69, "/nowhere/at/all.db"),
    ([], 64, "subcommand"),
    (["token", "add", "--role", "root"], 64, "readOnly"), (["gateway", "rotate", "none", "--create"], 1, "none"),
    (["tenant", "add", "No Good"], 64, "a-z"), (["gateway", "add", ".."], 64, "not \".\" or \"..\""),
    (["gateway", "add", "gw\u{202E}1"], 64, "invisible"), (["gateway", "revoke"], 64, "an id or --made-after TIME"),
    (["token", "revoke", "--made-after", "noon"], 64, "RFC 3339"),
    (["gateway", "revoke", "gw-1", "--all-tenants"], 64, "goes with --made-after"),
    (["gateway"], 64, "add, set, rotate"),
    (
      ["gateway", "revoke", "--made-after", "2026-01-01T00:00:00Z", "--tenant", "north", "--all-tenants"], 64,
      "gateway revoke: expected --tenant or --all-tenants, found both"
    ),
    (
      ["token", "revoke", "--made-after", "2026-01-01T00:00:00Z", "--tenant", "default", "--all-tenants"], 64,
      "token revoke: expected --tenant or --all-tenants, found both"
    ),
    (["tennant", "list"], 64, "fleetstore: tennant: no such command; did you mean tenant?: see fleetstore --help"),
    (["gateway", "lst"], 64, "gateway: lst: no such command; did you mean list?: see fleetstore gateway --help"),
    (["token", "add"], 64, "see fleetstore token add --help"),
    (
      ["serve", "--broker", "amqp://fleet@h", "--broker", "mqtt://u:hidden@h"], 64,
      "--broker (number 2): expected a URL without a password"
    ),
    (["serve", "--broker", "amqp://mq.example"], 64, "for another machine, found a URL without a user"),
    (["serve", "--broker", "mqtt://h/path"], 64, "found one with a path"),
    (
      ["serve", "--broker", "amqp://fleet@h", "--broker", "mqtt://g"], 64,
      "--broker: expected brokers of one cluster, all amqp or all mqtt, found amqp://h:5672 and mqtt://g:1883"
    ),
    (
      ["serve", "--database", "postgres://u@h:x/hidden"], 64,
      "--database: expected sqlite:FILE or postgres://USER@HOST/DATABASE, found something else: the port"
    ),
    (["serve", "--listen", "nonsense"], 64, "--listen: expected"),
    (["tenant", "list", "--tenant"], 64, "fleetstore tenant list: "),
  ])
  func a_failure_to_serve_is_reported_in_one_line(_ arguments: [String], _ status: Int32, _ message: String)
    async throws
  {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let result = try FleetstoreProgram.run(arguments, in: scratch.path)
      #expect(result.status == status, "\(result.errors)")
      #expect(result.errors.contains(message), "\(result.errors)")
      #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
      #expect(!result.errors.contains("secret") && !result.errors.contains("hidden"))
      #expect(result.output.isEmpty)
    }
  }

  @Test(arguments: [
    #""live":{"origins":["fleet.example"]}"#, #""live":{"origins":["https://fleet.example/"]}"#,
    #""live":{"origins":["https://fleet.example/app"]}"#, #""live":{"origins":["https://Fleet.example"]}"#,
    #""live":{"origins":["https://fleet.example:443"]}"#, #""live":{"origins":["https://fleet.example:99999"]}"#,
    #""live":{"origins":["https://"]}"#, #""live":{"origins":["null"]}"#,
    #""live":{"origins":["https://a@b.example"]}"#,
    #""accounts":{"url":"https://"}"#, #""accounts":{"url":"https://fleet.example:port"}"#,
    #""accounts":{"url":"https://fleet example"}"#, #""accounts":{"url":"https://fleet.example?a"}"#,
    #""accounts":{"url":"fleet.example"}"#, #""accounts":{"url":"https://-fleet.example"}"#,
  ])
  func an_address_that_no_browser_can_use_is_rejected_at_the_start(_ setting: String) async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let file = try scratch.write("c.json", "{\(setting)}")
      let result = try FleetstoreProgram.run(["serve", "--check", "--config", file], in: scratch.path)
      #expect(result.status == 78 && result.lines.isEmpty)
      #expect(
        result.errors.split(separator: "\n").count == 1 && result.errors.contains(": expected an "), "\(result.errors)")
    }
  }

  @Test func addresses_of_servers_pages_and_apps_are_accepted() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let file = try scratch.write(
        "c.json",
        #"{"live":{"origins":["*","https://fleet.example","http://127.0.0.1:8080","http://[::1]:3000","capacitor://localhost"]},"accounts":{"url":"https://fleet.example:8443/depot"}}"#
      )
      let result = try FleetstoreProgram.run(["serve", "--check", "--config", file], in: scratch.path)
      #expect(result.status == 0, "\(result.errors)")
    }
  }

  @Test func links_of_commands_have_the_address_of_the_server() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let database = ["--database", "sqlite:\(scratch.file("fleet.db"))"]
      let store = try ServedStore(database)
      defer { store.program.kill() }
      // The server has a free port, and no configuration names it.
      var link = ""
      for _ in 0..<600 {
        link = try FleetstoreProgram.run(["setup"] + database, in: scratch.path).output
        if link.hasPrefix("http://127.0.0.1:\(store.port)/setup#fsl_default.") { break }
      }
      #expect(link.hasPrefix("http://127.0.0.1:\(store.port)/setup#fsl_default."))
      let own = try FleetstoreProgram.run(["setup", "--url", "https://fleet.example/"] + database, in: scratch.path)
      #expect(own.output.hasPrefix("https://fleet.example/setup#"))
      let wrong = try FleetstoreProgram.run(["setup", "--url", "fleet.example"] + database, in: scratch.path)
      #expect(wrong.status == 64 && wrong.errors.contains("--url: expected an address"), "\(wrong.errors)")
    }
  }

  @Test func a_revoked_gateway_is_said_to_be_valid_again_when_its_key_is_rotated() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      func run(_ arguments: String...) throws -> Tool.Result {
        let result = try FleetstoreProgram.run(
          ["gateway"] + arguments + ["--database", "sqlite:fleet.db"], in: scratch.path)
        #expect(result.status == 0, "\(result.errors)")
        return result
      }
      _ = try run("add", "gw-1", "--create")
      #expect(try run("rotate", "gw-1").errors.isEmpty)
      _ = try run("revoke", "gw-1")
      let rotated = try run("rotate", "gw-1")
      #expect(rotated.errors == "fleetstore: gateway \"gw-1\" was revoked; with the new key it is valid again\n")
      #expect(rotated.lines.count == 1)
      #expect(try run("list").output.hasPrefix("gw-1\tgood\t"))
    }
  }

  @Test(arguments: [
    "postgres://fleet:s3cret@127.0.0.1:1/fleet", "postgresql://127.0.0.1:1/fleet?user=fleet&password=s3cret",
  ])
  func a_password_in_a_world_readable_file_is_rejected(_ address: String) async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let file = try scratch.write("fleetstore.json", #"{"database":"\#(address)"}"#)
      for arguments in [["serve", "--check"], ["serve"], ["tenant", "list"]] {
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        let refused = try FleetstoreProgram.run(arguments + ["--config", file], in: scratch.path)
        #expect(refused.status == 78, "\(refused.errors)")
        #expect(refused.errors.contains("fleetstore.json:1:13: database: "), "\(refused.errors)")
        #expect(refused.errors.contains("databasePasswordFile") && refused.errors.contains("chmod 600"))
        #expect(refused.errors.split(separator: "\n").count == 1 && !refused.errors.contains("s3cret"))
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file)
        let taken = try FleetstoreProgram.run(arguments + ["--config", file], in: scratch.path)
        // Nothing listens there.
        #expect(taken.status == (arguments.contains("--check") ? 0 : 69), "\(taken.errors)")
        #expect(!taken.errors.contains("s3cret") && !taken.output.contains("s3cret"))
      }
    }
  }

  @Test func the_databases_password_is_read_from_a_file_of_its_own() async throws {
    try await runBlocking {
      let server = try PostgreSQLServer()
      let scratch = try ScratchFolder()
      let address = try server.database()
      let password = "s3cret? &%=/ü"
      try server.demandPassword(password)
      let file = try scratch.write(
        "fleetstore.json", #"{"database":"\#(address)","databasePasswordFile":"database.password"}"#)
      let listed = ["tenant", "list", "--create", "--config", file]
      try scratch.writeSecret("database.password", "wrong\n")
      let refused = try FleetstoreProgram.run(listed, in: scratch.path)
      #expect(refused.status == 69 && refused.errors.contains("password"), "\(refused.errors)")
      try scratch.writeSecret("database.password", password + "\n")
      let taken = try FleetstoreProgram.run(listed, in: scratch.path)
      #expect(taken.output == "default\n", "\(taken.errors)")
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o644], ofItemAtPath: scratch.file("database.password"))
      let open = try FleetstoreProgram.run(listed, in: scratch.path)
      #expect(open.status == 78 && open.errors.contains("databasePasswordFile: expected"), "\(open.errors)")
      for said in [refused, taken, open] { #expect(!said.errors.contains("s3cret")) }
    }
  }

  @Test func a_stop_waits_for_no_idle_client() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let store = try ServedStore(["--database", "sqlite:\(scratch.file("a.db"))"])
      defer { store.program.kill() }
      // The client keeps its connection, and so does a connection without a request.
      let idle = try RunningProgram(
        "bash", ["-c", "exec 3<>/dev/tcp/127.0.0.1/\(store.port); echo open; read -u 3 line"])
      defer { idle.kill() }
      try idle.line(within: .seconds(20)) { $0 == "open" }
      #expect(try store.request("/api/health", token: nil).contains("ok"))
      store.program.send(SIGTERM)
      #expect(try store.program.end(within: .seconds(60)) == 0)
      #expect(store.program.errorLines.contains { $0.hasSuffix("stopped") })
    }
  }
}
