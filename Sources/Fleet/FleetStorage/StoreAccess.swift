/// The kind of program that opens a store. It determines what the program may do.
public enum StoreAccess: Sendable {
  /// A server. It creates the database if there is none, must be the only server of a SQLite file, and detects a
  /// restored backup.
  case server
  /// A command, which may run while a server runs. The database must exist.
  case command
  /// A command that may create the database.
  case makingCommand

  var makesDatabase: Bool { self != .command }
}
