import FleetDomain
import GRDB

/// Detects whether a SQLite file was replaced by an older copy, and counts the file's changes. It is used by the file's
/// only server, and by commands that run at the same time.
///
/// Each transaction that changes something increments the setting `changes` in the database. After the commit, this
/// number is also written to the server's file (``SQLiteServerFile``). If the number in the database is lower than the
/// number in the server's file, the database is an older copy. This works for changes of any data: records, keys,
/// people or the audit.
final class ServedSQLiteFile: Sendable {
  /// Whether the server has detected that the database is an older copy or another database. If `true`, a new
  /// generation of feed positions has begun.
  let wasRestored: Bool
  private let file: SQLiteServerFile
  private let role: SQLiteServerFile.Role

  /// Opens the file for the server, and compares the database with the content that the last server wrote to the
  /// server's file.
  ///
  /// - Parameter clock: the SQL expression ``StoreEngine/clock``.
  init(server file: SQLiteServerFile, database path: String, _ pool: DatabasePool, clock: String) throws {
    let before = file.contents
    let inode = SQLiteFile.inode(path) ?? 0
    var (store, changes, isRestored) = ([UInt8](), UInt64(0), false)
    try pool.writeWithoutTransaction { database in
      try database.inTransaction(.immediate) {
        let session = SQLiteSession(database: database)
        store = try session.setting("store") ?? []
        isRestored = try Self.isRestored(session, before, inode)
        if isRestored {
          try session.beginGeneration(clock: clock)
          try session.run("DELETE FROM setting WHERE name = 'restored'", [])
        }
        try session.run("INSERT INTO setting VALUES ('served', $1) ON CONFLICT DO NOTHING", [.bytes([])])
        changes = try session.countChange()
        return .commit
      }
    }
    try file.write(.init(store: store, inode: inode, changes: changes, changesOfCommands: changes))
    self.file = file
    role = .server
    wasRestored = isRestored
  }

  /// Opens the file for a command. If the database is an older copy or another database, stores a setting in the
  /// database for the next server. Without this setting, the older copy could become undetectable: the changes of
  /// commands could increase its number up to the number in the server's file.
  init(command file: SQLiteServerFile, database path: String, _ pool: DatabasePool) throws {
    // Read the file before the database: the number in the file of a running server is never higher than in the
    // database.
    let before = file.contents
    let inode = SQLiteFile.inode(path) ?? 0
    try pool.writeWithoutTransaction { database in
      try database.inTransaction(.immediate) {
        let session = SQLiteSession(database: database)
        if try Self.isRestored(session, before, inode) {
          try session.run("INSERT INTO setting VALUES ('restored', $1) ON CONFLICT DO NOTHING", [.bytes([])])
        }
        return .commit
      }
    }
    self.file = file
    role = .command
    wasRestored = false
  }

  /// After a transaction was committed, writes the number of changes to the server's file. Call this before the client
  /// is answered.
  ///
  /// - Parameter database: the connection of the transaction. If this process is a command, the function writes the
  ///   number while it holds a second transaction. No other process can commit during that time, so the numbers that
  ///   commands write ascend.
  func record(_ changes: UInt64, _ database: Database) {
    guard role == .command else { return file.record(changes, of: role) }
    do {
      try database.inTransaction(.immediate) {
        file.record(try SQLiteSession(database: database).changes(), of: role)
        return .rollback
      }
    } catch {
      // The change is committed, so the caller gets no error. The next change writes its own number.
    }
  }

  /// Releases the file, so that another server may use it. Call this after the database has been closed.
  func release() { file.release() }

  private static func isRestored(
    _ session: SQLiteSession, _ before: SQLiteServerFile.Contents?, _ inode: UInt64
  ) throws(StoreFailure) -> Bool {
    // A command has recorded that the database is an older copy or another database.
    if try session.setting("restored") != nil { return true }
    // The server's file is missing. If a server has used the database before, this database is a copy.
    guard let before else { return try session.setting("served") != nil }
    let changes = try session.changes()
    return try before.store != session.setting("store") || before.inode != inode
      || [before.changes, before.changesOfCommands].contains { Int64(bitPattern: changes &- $0) < 0 }
  }
}
