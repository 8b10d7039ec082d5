import FleetDomain

/// Upgrades a database to the newest schema.
enum PostgreSQLMigration {
  /// The oldest supported version of the server: PostgreSQL 14. The oldest tested version is 15, from Debian.
  private static let oldestServer = 140_000

  /// SQL expression for the database's own time, ms since 1970.
  static let clock = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

  /// Upgrades a database.
  ///
  /// - Returns: the key of the store's cursors, and whether a restored backup was detected.
  static func run(
    _ steps: [String], _ connection: PostgreSQLConnection, as access: StoreAccess = .makingCommand
  ) throws(StoreFailure) -> (key: CursorKey, wasRestored: Bool) {
    guard connection.serverVersion >= oldestServer else {
      throw StoreFailure(.system, "PostgreSQL", "expected version 14 or later, found \(connection.serverName)")
    }
    let session = PostgreSQLSession(connection: connection, partitions: PostgreSQLPartitions())
    return try session.inTransaction { () throws(StoreFailure) in
      // If several servers start at the same time, only one upgrades the database; the others wait here.
      try connection.execute("SELECT pg_advisory_xact_lock(1329746759, 0)")
      let isThere = try session.rows("SELECT (to_regclass('schema_version') IS NOT NULL)::integer", [])
      guard access.makesDatabase || isThere.first?.integer(0) == 1 else {
        throw StoreFailure(.noDatabase, "PostgreSQL", "this database holds no fleet store")
      }
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
      return (key, access == .server ? try checkOrigin(session) : false)
    }
  }

  /// Returns whether the database's identity differs from the stored one. It differs if the tables were created again,
  /// or if the database cluster was restored to an earlier state (another timeline). A backup was then restored, and a
  /// new generation of feed positions begins.
  private static func checkOrigin(_ session: PostgreSQLSession) throws(StoreFailure) -> Bool {
    // Some users have no permission to read the identifier of the cluster.
    let mayAsk = try session.rows(
      "SELECT has_function_privilege('pg_control_system()', 'EXECUTE')::integer", []
    ).first?.integer(0)
    let cluster = mayAsk == 1 ? "(SELECT system_identifier::text FROM pg_control_system())" : "'?'"
    let origin = try session.rows(
      """
      SELECT \(cluster) || ' ' || 'tenant'::regclass::oid || ' ' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
      """, []
    ).first?.text(0)
    guard let origin else { throw StoreFailure(.system, "PostgreSQL", "does not report the identity of the database") }
    let known = try session.rows("SELECT value FROM setting WHERE name = 'origin'", []).first?.bytes(0)
    let isRestored = known.map { $0 != Array(origin.utf8) } ?? false
    if isRestored { try session.beginGeneration(clock: clock) }
    try session.run(
      "INSERT INTO setting VALUES ('origin', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      [.bytes(Array(origin.utf8))])
    return isRestored
  }
}
