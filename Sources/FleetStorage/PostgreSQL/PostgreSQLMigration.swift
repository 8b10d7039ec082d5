import FleetDomain

/// Brings a database to the newest schema.
enum PostgreSQLMigration {
  /// PostgreSQL 14: the oldest that is tested against is Debian's 15.
  private static let oldestServer = 140_000

  /// - Returns: the key of the store's cursors.
  static func run(_ steps: [String], _ connection: PostgreSQLConnection) throws(StoreFailure) -> CursorKey {
    guard connection.serverVersion >= oldestServer else {
      throw StoreFailure(.system, "PostgreSQL", "expected version 14 or later, found \(connection.serverName)")
    }
    let session = PostgreSQLSession(connection: connection, partitions: PostgreSQLPartitions())
    return try session.inTransaction { () throws(StoreFailure) in
      // Servers that start at the same time wait here for the first of them.
      try connection.execute("SELECT pg_advisory_xact_lock(1329746759, 0)")
      try connection.execute("CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL)")
      let version = Int(try session.rows("SELECT version FROM schema_version", []).first?.integer(0) ?? 0)
      guard version <= steps.count else {
        throw StoreFailure(
          .newerSchema, "database",
          "its schema is version \(version), this program knows up to \(steps.count): use the newer program")
      }
      for step in steps[version...] { try connection.execute(step) }
      if version < steps.count {
        try session.run("DELETE FROM schema_version", [])
        try session.run("INSERT INTO schema_version VALUES ($1)", [.integer(Int64(steps.count))])
      }
      try session.run(
        "INSERT INTO tenant (id, added) VALUES ($1, 0) ON CONFLICT DO NOTHING", [.text(TenantID.standard.text)])
      let rows = try session.rows("SELECT value FROM setting WHERE name = 'cursorKey'", [])
      guard let key = rows.first.flatMap({ CursorKey($0.bytes(0)) }) else {
        throw StoreFailure(.damaged, "setting", "no key for cursors")
      }
      return key
    }
  }
}
