import FleetDomain
import GRDB

/// A SQLite file for its only server, or for a command beside that server. It detects whether the file was replaced,
/// and counts the changes.
///
/// Each transaction that changes something increments the setting `changes`, and the count is written to the server's
/// file after the commit. A database whose count is behind that file is therefore an older copy, whatever was changed
/// since: records, keys, people or the audit.
final class ServedSQLiteFile: Sendable {
  /// Whether the server has found an older or another copy, and has begun a new generation of feed positions.
  let wasRestored: Bool
  private let file: SQLiteServerFile
  private let role: SQLiteServerFile.Role

  /// Opens the file as the server: compares the database with the one that was served before.
  ///
  /// - Parameter clock: ``StoreEngine/clock``
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

  /// Opens the file as a command. If it finds an older or another copy, it leaves a mark for the next server, because
  /// its own changes may hide the difference in the count.
  init(command file: SQLiteServerFile, database path: String, _ pool: DatabasePool) throws {
    // Read the file first: a running server's file is never ahead of the database.
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

  /// Writes the count of a committed transaction, before the reply to a client.
  ///
  /// - Parameter database: the connection of the transaction. The counts of commands ascend, because each is written
  ///   while no other process can commit.
  func record(_ changes: UInt64, _ database: Database) {
    guard role == .command else { return file.record(changes, of: role) }
    do {
      try database.inTransaction(.immediate) {
        file.record(try SQLiteSession(database: database).changes(), of: role)
        return .rollback
      }
    } catch {
      // The change is committed, so its caller gets no error. The next change writes the count.
    }
  }

  /// Releases the file for the next server. Must be called after the database is closed.
  func release() { file.release() }

  private static func isRestored(
    _ session: SQLiteSession, _ before: SQLiteServerFile.Contents?, _ inode: UInt64
  ) throws(StoreFailure) -> Bool {
    // The mark of a command.
    if try session.setting("restored") != nil { return true }
    // The server's file is missing beside a database that was served.
    guard let before else { return try session.setting("served") != nil }
    let changes = try session.changes()
    return try before.store != session.setting("store") || before.inode != inode
      || [before.changes, before.changesOfCommands].contains { Int64(bitPattern: changes &- $0) < 0 }
  }
}
