import CSQLite

/// A connection to an SQLite database. Only one thread may use it. It is closed when the connection and all of its
/// statements are destroyed.
@safe
struct SQLiteConnection: ~Copyable {
  private let handle: OpaquePointer

  /// Opens a database file, and creates it if it does not exist.
  ///
  /// - Throws: ``SQLiteError`` if the file can neither be opened nor created.
  init(path: String) throws(SQLiteError) {
    var opened: OpaquePointer?
    // SQLite's mutex is not needed, because only one thread uses the connection.
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
    guard code == SQLITE_OK, let opened = unsafe opened else {
      let error = unsafe SQLiteError(code: code, of: opened, "open")
      unsafe sqlite3_close_v2(opened)
      throw error
    }
    unsafe handle = opened
  }

  /// Opens a database file for reading. This is needed if SQLite cannot create a log or shared-memory file next to the
  /// database. No other process may use the file meanwhile.
  ///
  /// - Parameter hasLog: whether the database has a write-ahead log. If so, the log is read, too.
  init(lookingAt path: String, hasLog: Bool) throws(SQLiteError) {
    var opened: OpaquePointer?
    // Without a log, the file cannot change, so it is opened as `immutable`. With a log, only closing the connection
    // may write to the file.
    let access = hasLog ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
    let flags = access | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    var name = "file:"
    for byte in path.utf8 {
      // Escape the special characters of URI filenames (https://www.sqlite.org/uri.html) and non-ASCII bytes.
      let isPlain = byte < 0x80 && byte != UInt8(ascii: "%") && byte != UInt8(ascii: "?") && byte != UInt8(ascii: "#")
      name += isPlain ? String(decoding: [byte], as: UTF8.self) : "%" + String(byte, radix: 16)
    }
    let code = unsafe sqlite3_open_v2(name + (hasLog ? "" : "?immutable=1"), &opened, flags, nil)
    guard code == SQLITE_OK, let opened = unsafe opened else {
      let error = unsafe SQLiteError(code: code, of: opened, "open")
      unsafe sqlite3_close_v2(opened)
      throw error
    }
    unsafe handle = opened
  }

  // Statements that still exist keep the connection open until they are finalized.
  deinit { unsafe sqlite3_close_v2(handle) }

  /// Executes SQL statements that return no rows and have no parameters.
  func execute(_ sql: String, _ action: StaticString) throws(SQLiteError) {
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw unsafe SQLiteError(code: code, of: handle, action) }
  }

  /// Executes a query, and returns the first column of its first row as a number; 0 if there is no row.
  func number(_ sql: String, _ action: StaticString) throws(SQLiteError) -> Int64 {
    var statement = try SQLiteStatement(self, sql, action)
    return try statement.next() ? statement.number(0) : 0
  }

  /// Executes a query, and returns the first column of its first row as text; empty if there is no row.
  func text(_ sql: String, _ action: StaticString) throws(SQLiteError) -> String {
    var statement = try SQLiteStatement(self, sql, action)
    return try statement.next() ? statement.text(0) : ""
  }

  /// Whether a transaction is open.
  var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

  /// Number of rows that the last statement changed.
  var changes: Int64 { unsafe sqlite3_changes64(handle) }

  /// Makes SQLite keep the write-ahead log when the connection is closed.
  ///
  /// Otherwise, SQLite deletes the log by its name. If the database was renamed, that name may now belong to another
  /// database's log.
  func preserveLog() {
    var keeps: Int32 = 1
    _ = unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &keeps)
  }

  /// Prepares a statement, which the caller must finalize.
  func prepare(_ sql: String, _ action: StaticString) throws(SQLiteError) -> OpaquePointer {
    var prepared: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared = unsafe prepared else {
      throw unsafe SQLiteError(code: code, of: handle, action)
    }
    return unsafe prepared
  }
}
