import Glibc
import TestKit
import Testing

@testable import FleetStorage

@Suite struct PostgreSQLConnectionTests {
  @Test func commits_are_synchronous_even_if_the_server_is_configured_otherwise() async throws {
    try await runBlocking {
      let server = try PostgreSQLServer.shared
      let address = try server.database()
      let name = try #require(address.split(separator: "/").last)
      for (setting, expected) in [("off", "on"), ("remote_apply", "remote_apply")] {
        try server.sql("ALTER DATABASE \(name) SET synchronous_commit = \(setting)", in: String(name))
        let connection = try PostgreSQLConnection(address: PostgreSQLAddress(parsing: address))
        let found = try connection.query("SHOW synchronous_commit").row(0)
        #expect(found.text(0) == expected)
      }
    }
  }

  @Test func values_are_stored_and_read_back_unchanged() async throws {
    try await runBlocking {
      let server = try PostgreSQLServer.shared
      let connection = try PostgreSQLConnection(address: PostgreSQLAddress(parsing: server.database()))
      let values: [SQLValue] = [
        .integer(.min), .integer(-1), .text("Grüße ' \" \\ $1"), .text(""), .bytes([0, 1, 255]), .bytes([]),
        .identifier(Sample.epoch),
      ]
      let types = ["bigint", "bigint", "text", "text", "bytea", "bytea", "uuid"]
      let columns = types.enumerated().map { "$\($0 + 1)::\($1)" }.joined(separator: ", ")
      let row = try connection.query("SELECT \(columns), NULL::text", PostgreSQLParameters(values)).row(0)
      #expect(row.values.dropLast(2) == values.dropLast())
      #expect(row.identifier(6) == Sample.epoch)
      #expect(row.values.last == .null)
    }
  }

  @Test func a_silently_lost_peer_is_detected() async throws {
    try await runBlocking {
      let server = try PostgreSQLServer.shared
      let address = try server.database()
      let connection = try PostgreSQLConnection(address: PostgreSQLAddress(parsing: address))
      #expect([TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT].map { connection.socketOption($0) } == [30, 10, 3])
      let own = try PostgreSQLConnection(address: PostgreSQLAddress(parsing: address + "?keepalives_idle=7"))
      #expect(own.socketOption(TCP_KEEPIDLE) == 7)
    }
  }
}
