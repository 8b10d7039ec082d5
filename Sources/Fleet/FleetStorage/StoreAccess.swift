/// The program that opens a store, which determines its rights.
public enum StoreAccess: Sendable {
  /// A server. It creates the database if there is none, is the only server of a SQLite file, and detects that a backup
  /// was restored.
  case server
  /// A command, which may run at the same time as a server. The database must exist.
  case command
  /// A command that may create the database.
  case makingCommand

  var makesDatabase: Bool { self != .command }
}
