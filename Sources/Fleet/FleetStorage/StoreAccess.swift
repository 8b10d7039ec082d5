/// Who opens a store, and what for.
public enum StoreAccess: Sendable {
  /// A server: it makes the database if there is none, is the only server of a SQLite file, and notices when a backup was
  /// restored.
  case server
  /// A command beside a server. There must be a database.
  case command
  /// A command that may make the database.
  case makingCommand

  var makesDatabase: Bool { self != .command }
}
