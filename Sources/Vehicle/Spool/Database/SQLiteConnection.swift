import CSQLite

/// A connection to a database, used by one thread. It closes when it and all its statements are gone.
@safe
struct SQLiteConnection: ~Copyable {
  private let handle: OpaquePointer

  /// Opens or creates a database file.
  ///
  /// - Throws: ``SQLiteError`` if the file does not exist and cannot be created.
  init(path: String) throws(SQLiteError) {
    var opened: OpaquePointer?
    // No mutex: only one thread uses the connection.
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
    guard code == SQLITE_OK, let opened = unsafe opened else {
      let error = unsafe SQLiteError(code: code, of: opened, "open")
      unsafe sqlite3_close_v2(opened)
      throw error
    }
    unsafe handle = opened
  }

  /// Opens a file for reading when SQLite cannot create a log or shared-memory file beside it. No other process may use
  /// the file.
  ///
  /// - Parameter hasLog: whether a write-ahead log exists, which is read as well.
  init(lookingAt path: String, hasLog: Bool) throws(SQLiteError) {
    var opened: OpaquePointer?
    // Without a log, the file is complete (`immutable`). With one, only closing the connection may write to it.
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

  // Existing statements keep the connection open until they are finalized.
  deinit { unsafe sqlite3_close_v2(handle) }

  /// Executes statements that return no rows and take no parameters.
  func execute(_ sql: String, _ action: StaticString) throws(SQLiteError) {
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw unsafe SQLiteError(code: code, of: handle, action) }
  }

  /// Returns the first column of the first row as a number; 0 if there is no row.
  func number(_ sql: String, _ action: StaticString) throws(SQLiteError) -> Int64 {
    var statement = try SQLiteStatement(self, sql, action)
    return try statement.next() ? statement.number(0) : 0
  }

  /// Returns the first column of the first row as text; empty if there is no row.
  func text(_ sql: String, _ action: StaticString) throws(SQLiteError) -> String {
    var statement = try SQLiteStatement(self, sql, action)
    return try statement.next() ? statement.text(0) : ""
  }

  /// Whether a transaction is open.
  var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

  /// Number of rows changed by the last statement.
  var changes: Int64 { unsafe sqlite3_changes64(handle) }

  /// Keeps the log file when the connection is closed.
  ///
  /// SQLite deletes the log by name. If the database was renamed, the name belongs to the log of another database.
  func keepLog() {
    var keeps: Int32 = 1
    _ = unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &keeps)
  }

  /// Prepares a statement; the caller finalizes it.
  func prepare(_ sql: String, _ action: StaticString) throws(SQLiteError) -> OpaquePointer {
    var prepared: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared = unsafe prepared else {
      throw unsafe SQLiteError(code: code, of: handle, action)
    }
    return unsafe prepared
  }
}
