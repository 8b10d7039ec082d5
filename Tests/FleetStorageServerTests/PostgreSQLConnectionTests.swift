import Glibc
import TestKit
import Testing

@testable import FleetStorage

@Suite struct PostgreSQLConnectionTests {
  @Test func a_commit_is_waited_for_also_where_the_server_would_not() async throws {
    try await aside {
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

  @Test func values_go_in_and_come_out_as_they_are() async throws {
    try await aside {
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

  @Test func a_peer_that_is_gone_without_a_word_is_noticed() async throws {
    try await aside {
      let server = try PostgreSQLServer.shared
      let address = try server.database()
      let connection = try PostgreSQLConnection(address: PostgreSQLAddress(parsing: address))
      #expect([TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT].map { connection.socketOption($0) } == [30, 10, 3])
      let own = try PostgreSQLConnection(address: PostgreSQLAddress(parsing: address + "?keepalives_idle=7"))
      #expect(own.socketOption(TCP_KEEPIDLE) == 7)
    }
  }
}
