import CSQLite
import Failures
import Glibc

/// An error that SQLite has reported, or that the spool has found in a database.
struct SQLiteError: Error, Equatable {
  /// The meaning of the error for the spool.
  enum Kind: Equatable {
    /// No space is left on the disk or in the quota (SQLITE_FULL, ENOSPC, EDQUOT).
    case full
    /// The file or its file system is read-only.
    case readOnly
    /// The file is not a database, or it is damaged (SQLITE_CORRUPT, SQLITE_NOTADB, or an invalid table or row).
    case damaged
    /// Another process is writing to the database.
    case busy
    /// Any other error, including failed reads and writes.
    case system
  }

  let kind: Kind
  /// SQLite's extended result code (sqlite3.h); 0 if the spool itself found the error.
  let code: Int32
  /// The operation of the spool that failed, for example "read losses".
  let action: StaticString
  /// SQLite's error message, followed by the operating system's message if there is one.
  let reason: String

  init(_ kind: Kind, code: Int32 = 0, _ action: StaticString, _ reason: String) {
    self.kind = kind
    self.code = code
    self.action = action
    self.reason = reason
  }

  /// Creates an error from the last failure of a connection.
  @unsafe init(code: Int32, of database: OpaquePointer?, _ action: StaticString) {
    let words = unsafe database.map { unsafe String(cString: sqlite3_errmsg($0)) }
    var reason = unsafe words ?? String(cString: sqlite3_errstr(code))
    let system = unsafe database.map { unsafe sqlite3_system_errno($0) } ?? 0
    let isOfSystem = code & 0xFF == SQLITE_IOERR || code & 0xFF == SQLITE_CANTOPEN
    if isOfSystem, system != 0 { reason += ": \(systemReason(system))" }
    self.init(Self.kind(of: code, system: system), code: code, action, reason)
  }

  private static func kind(of code: Int32, system: Int32) -> Kind {
    switch code & 0xFF {
    case SQLITE_FULL: .full
    case SQLITE_READONLY, SQLITE_PERM: .readOnly
    case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
    case SQLITE_BUSY, SQLITE_LOCKED: .busy
    // If the file system is full or read-only, SQLite sometimes reports only a general I/O error.
    case SQLITE_IOERR, SQLITE_CANTOPEN:
      switch system {
      case EROFS: .readOnly
      case ENOSPC, EDQUOT: .full
      default: .system
      }
    default: .system
    }
  }

  static func == (left: SQLiteError, right: SQLiteError) -> Bool {
    left.kind == right.kind && left.code == right.code && left.reason == right.reason
  }
}
