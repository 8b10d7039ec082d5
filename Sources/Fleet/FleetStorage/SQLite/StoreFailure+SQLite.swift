import CSQLite
import FleetDomain
import GRDB

extension StoreFailure {
  /// Returns the error for callers. If the error concerns the whole database, the error names the path of the file.
  func error(at path: String) -> StorageError {
    error.place == Self.database ? StorageError(error.kind, path, error.detail) : error
  }

  /// The name that stands for the whole database in an error.
  private static let database = "database"

  /// SQLITE_CONSTRAINT_UNIQUE, a macro that Swift cannot import.
  private static let uniqueConstraint: Int32 = 2_067
  /// SQLITE_CONSTRAINT_PRIMARYKEY, a macro that Swift cannot import.
  private static let primaryKeyConstraint: Int32 = 1_555

  /// Converts an error of SQLite or GRDB.
  init(sqlite error: any Error) {
    switch error {
    case let failure as StoreFailure: self = failure
    case let failure as StorageError: self.init(failure)
    case let error as GRDB.DatabaseError:
      self.init(sqliteCode: error.extendedResultCode.rawValue, error.message ?? error.description)
    default: self.init(.system, Self.database, "\(error)")
    }
  }

  /// Creates an error from a result code.
  ///
  /// - Parameter code: an extended result code (sqlite3.h).
  init(sqliteCode code: Int32, _ words: String) {
    let kind: StorageError.Kind =
      switch code & 0xFF {
      case SQLITE_FULL: .full
      case SQLITE_READONLY, SQLITE_PERM: .readOnly
      case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
      case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_ABORT: .unavailable
      // SQLite reports this code for calls that are interrupted because the storage is being closed.
      case SQLITE_INTERRUPT: .unavailable
      // GRDB reports this code if the database is closed.
      case SQLITE_MISUSE: .unavailable
      default: .system
      }
    self.init(kind, Self.database, "\(words) (SQLite \(code))", mayRetry: code & 0xFF == SQLITE_BUSY)
    isDuplicateKey = code == Self.uniqueConstraint || code == Self.primaryKeyConstraint
  }
}
