import FleetDomain
import GRDB
import Synchronization

/// A SQLite file and the one server that has it: whether it is the file that was served before, and how far it is.
final class ServedSQLiteFile: Sendable {
  let wasRestored: Bool
  private let file: SQLiteServerFile
  /// ``SQLiteServerFile/Contents/changes``
  private let changes: Mutex<UInt64>

  /// Compares the database with what the server before has left, and begins a new generation of feed positions where it
  /// is not the same, or is behind.
  ///
  /// - Parameter clock: ``StoreEngine/clock``
  init(_ file: SQLiteServerFile, database path: String, _ pool: DatabasePool, clock: String) throws {
    let before = file.contents
    let inode = SQLiteFile.inode(path) ?? 0
    var (store, changes, isRestored) = ([UInt8](), UInt64(0), false)
    try pool.writeWithoutTransaction { database in
      try database.inTransaction(.immediate) {
        let session = SQLiteSession(database: database)
        func setting(_ name: String) throws -> [UInt8]? {
          try session.rows("SELECT value FROM setting WHERE name = $1", [.text(name)]).first?.bytes(0)
        }
        store = try setting("store") ?? []
        changes = try Self.changes(session)
        if let before {
          isRestored =
            before.store != store || before.inode != inode || Int64(bitPattern: changes &- before.changes) < 0
        } else {
          // Its own file is missing beside it.
          isRestored = try setting("served") != nil
        }
        if isRestored {
          try session.beginGeneration(clock: clock)
          changes = try Self.changes(session)
        }
        try session.run("INSERT INTO setting VALUES ('served', $1) ON CONFLICT DO NOTHING", [.bytes([])])
        return .commit
      }
    }
    try file.write(.init(store: store, inode: inode, changes: changes))
    self.file = file
    self.changes = Mutex(changes)
    wasRestored = isRestored
  }

  /// Notes changes that were committed, before anybody hears of them.
  func record(published: Int) {
    let changes = changes.withLock { changes in
      changes &+= UInt64(published)
      return changes
    }
    file.record(changes: changes)
  }

  /// Leaves the database to the next server. Not before it is closed.
  func release() { file.release() }

  private static func changes(_ session: SQLiteSession) throws(StoreFailure) -> UInt64 {
    try session.rows("SELECT position FROM tenant", []).reduce(0) { $0 &+ UInt64(bitPattern: $1.integer(0)) }
  }
}
