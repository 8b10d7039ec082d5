import Foundation
import TestKit
import Testing

@testable import FleetstoreTestKit

/// Passwords of databases and brokers: no output shows them, and they are never sent unencrypted.
@Suite struct SecretsTests {
  /// Addresses with passwords that are not percent-encoded; each has a part that must not be shown.
  static let careless = [
    "se%cret", "se@cret", "se/cret", "se:cret", "se?cret", "12/secret", "12?secret=1", "se#cret", "se&cret", "se cret",
    "%zzsecret", "@secret@", "sec%00ret", "sslmode=secret",
  ]

  @Test(arguments: careless)
  func no_part_of_a_password_in_an_address_is_shown(_ password: String) async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      for address in [
        "postgres://fleet:\(password)@127.0.0.1:1/fleet",
        "postgres://127.0.0.1:1/fleet?user=fleet&password=\(password)",
        "postgres://fleet:\(password)@db.invalid/fleet", "postgresql://:\(password)@[::1]:1",
      ] {
        let text = address.replacing("\"", with: "")
        try scratch.writeSecret("c.json", #"{"database":"\#(text)"}"#)
        for arguments in [
          ["tenant", "list", "--config", "c.json"], ["serve", "--listen", "127.0.0.1:0", "--config", "c.json"],
          ["serve", "--check", "--config", "c.json"], ["tenant", "list", "--database", text],
        ] {
          let result = try FleetstoreProgram.run(arguments, in: scratch.path)
          #expect(result.errors.split(separator: "\n").count <= 1, "\(result.errors)")
          for part in ["cret", "zz", password] {
            #expect(!result.errors.contains(part) && !result.output.contains(part), "\(arguments): \(result.errors)")
          }
        }
      }
    }
  }

  @Test(arguments: ["se%cret", "se@cret/x?y&z=1", "password=se'cret \\", "%", "sé cret"])
  func a_password_from_a_file_is_taken_as_it_is_and_never_shown(_ password: String) async throws {
    try await runBlocking {
      let server = try PostgreSQLServer()
      let scratch = try ScratchFolder()
      let address = try server.database()
      try server.demandPassword(password)
      let file = try scratch.write(
        "c.json", #"{"database":"\#(address)","databasePasswordFile":"database.password"}"#)
      try scratch.writeSecret("database.password", password + "\n")
      let taken = try FleetstoreProgram.run(["tenant", "list", "--create", "--config", file], in: scratch.path)
      #expect(taken.output == "default\n", "\(taken.errors)")
      try scratch.writeSecret("database.password", password + "no\n")
      let refused = try FleetstoreProgram.run(["tenant", "list", "--create", "--config", file], in: scratch.path)
      #expect(refused.status == 69 && refused.errors.contains("password authentication failed"), "\(refused.errors)")
      #expect(!refused.errors.contains(password + "no"))
    }
  }

  @Test func a_password_goes_to_another_machine_only_with_tls() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      try scratch.writeSecret("password", "secret\n")
      func check(_ broker: String, _ arguments: [String] = [], _ environment: [String: String] = [:]) throws
        -> Tool.Result
      {
        let file = try scratch.write("c.json", #"{"broker":{\#(broker)}}"#)
        return try FleetstoreProgram.run(
          ["serve", "--check", "--config", file] + arguments, in: scratch.path, environment: environment)
      }
      for scheme in ["amqp", "mqtt"] {
        let urls = #""urls":["\#(scheme)s://fleet@127.0.0.1","\#(scheme)://fleet@mq.example"]"#
        let refused = try check(urls + #","passwordFile":"password""#)
        #expect(refused.status == 78, "\(refused.errors)")
        #expect(refused.errors.contains("\(scheme)://mq.example") && refused.errors.contains("\(scheme)s://"))
        #expect(refused.errors.contains("\"insecure\": true") && !refused.errors.contains("secret"))
        #expect(try check(urls, [], ["FLEETSTORE_BROKER_PASSWORD": "secret"]).status == 78)
        #expect(try check(urls).status == 0)
        #expect(try check(urls + #","passwordFile":"password","insecure":true"#).status == 0)
        let local =
          #""urls":["\#(scheme)://fleet@127.0.0.1","\#(scheme)://fleet@[::1]","\#(scheme)://fleet@localhost"]"#
        #expect(try check(local + #","passwordFile":"password""#).status == 0)
        let given = try check(local + #","passwordFile":"password""#, ["--broker", "\(scheme)://fleet@10.0.0.1"])
        #expect(given.status == 78, "\(given.errors)")
      }
    }
  }
}
