import Foundation
import TestKit
import Testing

@testable import FleetstoreTestKit

/// Databases that were changed by hand, or whose key file is missing: fleetstore reports it.
@Suite struct TamperedDatabaseTests {
  /// Executes a statement of SQL in a SQLite file.
  private func execute(_ sql: String, in scratch: borrowing ScratchFolder) throws {
    let program = """
      import sqlite3, sys
      database = sqlite3.connect(sys.argv[1])
      assert database.execute(sys.argv[2]).rowcount > 0
      database.commit()
      """
    let result = try Tool.run("/usr/bin/python3", ["-c", program, scratch.file("fleet.db"), sql])
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test(arguments: [
    ("UPDATE audit SET content = replace(content, 'create', 'remove') WHERE number = 2", "entry 2 was changed"),
    ("DELETE FROM audit WHERE number = 2", "entry 2 was changed"),
    ("DELETE FROM audit WHERE number = (SELECT max(number) FROM audit)", "the end was removed"),
    ("UPDATE audit SET thing = NULL WHERE number = 1", "time or the thing of entry 1"),
    ("UPDATE audit SET time = time - 100000 WHERE number = 3", "time or the thing of entry 3"),
    ("DELETE FROM audit", "the end was removed"),
  ])
  func a_change_of_the_audit_is_reported(_ sql: String, _ message: String) async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      for number in 1...3 {
        let added = try FleetstoreProgram.run(
          [
            "person", "add", "p\(number)@example.com", "--first-name", "A", "--last-name", "B", "--role", "viewer",
            "--database", "sqlite:fleet.db", "--create",
          ], in: scratch.path)
        #expect(added.status == 0, "\(added.errors)")
      }
      let verify = ["audit", "verify", "--database", "sqlite:fleet.db"]
      #expect(try FleetstoreProgram.run(verify, in: scratch.path).status == 0)
      try execute(sql, in: scratch)
      let result = try FleetstoreProgram.run(verify, in: scratch.path)
      #expect(result.status == 65 && result.errors.contains(message), "\(result.errors)")
    }
  }

  @Test func the_target_of_a_link_is_not_overwritten() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let precious = try scratch.write("precious", "text")
      try FileManager.default.createSymbolicLink(atPath: scratch.file("fleet.db-server"), withDestinationPath: precious)
      let result = try FleetstoreProgram.run(
        ["serve", "--listen", "127.0.0.1:0", "--database", "sqlite:fleet.db"], in: scratch.path)
      #expect(result.status != 0 && result.errors.contains("fleet.db-server: cannot be opened"), "\(result.errors)")
      #expect(try String(contentsOfFile: precious, encoding: .utf8) == "text")
    }
  }

  @Test func a_missing_file_of_keys_is_not_replaced() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let added = try FleetstoreProgram.run(
        [
          "person", "add", "p@example.com", "--first-name", "A", "--last-name", "B", "--role", "admin", "--database",
          "sqlite:fleet.db", "--create",
        ], in: scratch.path)
      #expect(added.status == 0, "\(added.errors)")
      try execute(
        """
        INSERT INTO factor (tenant, id, version, created, updated, person_id, kind, name, is_confirmed, secret)
        SELECT tenant, id, 1, 0, 0, id, 'totp', 'Phone', 1, '36e717df.AAAA' FROM person
        """, in: scratch)
      let serve = ["serve", "--listen", "127.0.0.1:0", "--database", "sqlite:fleet.db"]
      let missing = try FleetstoreProgram.run(serve, in: scratch.path)
      #expect(missing.status == 78 && missing.errors.contains("keys of 1 secrets"), "\(missing.errors)")
      #expect(!FileManager.default.fileExists(atPath: scratch.file("fleet.db.keys")))
      try scratch.writeSecret("fleet.db.keys", String(repeating: "7", count: 64) + "\n")
      let other = try FleetstoreProgram.run(serve, in: scratch.path)
      #expect(other.status == 78 && other.errors.contains("1 of 1 secrets"), "\(other.errors)")
    }
  }
}
