import FleetDomain
import GRDB

/// Upgrades a file to the newest schema.
enum SQLiteMigration {
  /// Application ID in the file's header: "OBDG".
  private static let applicationId: Int64 = 0x4F42_4447

  /// Upgrades a file.
  ///
  /// - Parameter mayMake: whether an empty file may become a database.
  /// - Returns: the key of the store's cursors.
  static func run(_ steps: [String], on pool: DatabasePool, mayMake: Bool = true) throws -> CursorKey {
    try pool.writeWithoutTransaction { database in
      var key: CursorKey?
      try database.inTransaction(.immediate) {
        let session = SQLiteSession(database: database)
        let owner = try session.rows("PRAGMA application_id", []).first?.integer(0) ?? 0
        let tables = try session.rows("SELECT count(*) FROM sqlite_schema", []).first?.integer(0) ?? 0
        guard owner == applicationId || (owner == 0 && tables == 0) else {
          throw StoreFailure(.damaged, "database", "a SQLite file of another program; expected one of fleetstore")
        }
        guard mayMake || tables > 0 else { throw StoreFailure(.noDatabase, "database", "there is no database") }
        let version = Int(try session.rows("PRAGMA user_version", []).first?.integer(0) ?? 0)
        guard version <= steps.count else {
          throw StoreFailure(
            .newerSchema, "database",
            "its schema is version \(version), this program knows up to \(steps.count): use the newer program")
        }
        for step in steps[version...] { try database.execute(sql: step) }
        if version < steps.count {
          try SQLiteStatistics.store(session)
          try database.execute(sql: "PRAGMA application_id = \(applicationId)")
          try database.execute(sql: "PRAGMA user_version = \(steps.count)")
        }
        try session.run(
          "INSERT INTO tenant (id, added) VALUES ($1, 0) ON CONFLICT DO NOTHING", [.text(TenantID.standard.text)])
        let rows = try session.rows("SELECT value FROM setting WHERE name = 'cursorKey'", [])
        key = rows.first.flatMap { CursorKey($0.bytes(0)) }
        return .commit
      }
      guard let key else { throw StoreFailure(.damaged, "setting", "no key for cursors") }
      return key
    }
  }
}
