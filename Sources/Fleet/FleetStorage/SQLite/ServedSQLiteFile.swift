import FleetDomain
import GRDB

/// A SQLite file and the one server that has it, or a command beside that server: whether it is the file that was served
/// before, and how many changes it has.
///
/// Each transaction that changes something counts itself in the setting `changes`, and the count is written to the
/// server's file after the commit. A database whose count is behind that file is therefore an older copy, whatever has
/// changed since: records, keys, people, or the audit.
final class ServedSQLiteFile: Sendable {
  /// Whether the server has found an older or another copy, and begun a new generation of feed positions.
  let wasRestored: Bool
  private let file: SQLiteServerFile
  private let role: SQLiteServerFile.Role

  /// Begins as the server: compares the database with what was served before.
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

  /// Begins as a command, which leaves a note for the next server if it finds an older or another copy: once it has
  /// changed something, the count might no longer tell.
  init(command file: SQLiteServerFile, database path: String, _ pool: DatabasePool) throws {
    // The file first: a server that runs is never ahead of the database.
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

  /// Writes down the count of a transaction that was committed, before anybody hears of what it has changed.
  ///
  /// - Parameter database: the connection of the transaction. Counts of commands ascend, because each is written while
  ///   no other process can commit.
  func record(_ changes: UInt64, _ database: Database) {
    guard role == .command else { return file.record(changes, of: role) }
    do {
      try database.inTransaction(.immediate) {
        file.record(try SQLiteSession(database: database).changes(), of: role)
        return .rollback
      }
    } catch {
      // The change is committed: its caller gets no error. The next one is recorded.
    }
  }

  /// Leaves the database to the next server. Not before it is closed.
  func release() { file.release() }

  private static func isRestored(
    _ session: SQLiteSession, _ before: SQLiteServerFile.Contents?, _ inode: UInt64
  ) throws(StoreFailure) -> Bool {
    // A note of a command.
    if try session.setting("restored") != nil { return true }
    // The server's own file is missing beside a database that was served.
    guard let before else { return try session.setting("served") != nil }
    let changes = try session.changes()
    return try before.store != session.setting("store") || before.inode != inode
      || [before.changes, before.changesOfCommands].contains { Int64(bitPattern: changes &- $0) < 0 }
  }
}
