import CSQLite
import Glibc

/// What SQLite refused to do, in its own words.
struct SQLiteError: Error, Equatable {
  /// What it means for the spool.
  enum Kind: Equatable {
    /// No space is left (SQLITE_FULL).
    case full
    /// The file, or the file system below it, takes no writes.
    case readOnly
    /// The file is no database, or not a sound one (SQLITE_CORRUPT, SQLITE_NOTADB, or a table or row that is not ours).
    case damaged
    /// Another process writes to the file.
    case busy
    /// Everything else, reads and writes that failed among it.
    case system
  }

  let kind: Kind
  /// The extended result code (sqlite3.h).
  let code: Int32
  /// What was being done.
  let action: StaticString
  /// SQLite's words.
  let reason: String

  init(_ kind: Kind, code: Int32 = 0, _ action: StaticString, _ reason: String) {
    self.kind = kind
    self.code = code
    self.action = action
    self.reason = reason
  }

  /// The error that a connection has just met.
  @unsafe init(code: Int32, of database: OpaquePointer?, _ action: StaticString) {
    let words = unsafe database.map { unsafe String(cString: sqlite3_errmsg($0)) }
    var reason = unsafe words ?? String(cString: sqlite3_errstr(code))
    let system = unsafe database.map { unsafe sqlite3_system_errno($0) } ?? 0
    let isOfSystem = code & 0xFF == SQLITE_IOERR || code & 0xFF == SQLITE_CANTOPEN
    if isOfSystem, system != 0 { reason += unsafe ": \(String(cString: strerror(system)))" }
    self.init(Self.kind(of: code, system: system), code: code, action, reason)
  }

  private static func kind(of code: Int32, system: Int32) -> Kind {
    switch code & 0xFF {
    case SQLITE_FULL: .full
    case SQLITE_READONLY, SQLITE_PERM: .readOnly
    case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
    case SQLITE_BUSY, SQLITE_LOCKED: .busy
    // In some places SQLite tells of them as of any other write that failed.
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
