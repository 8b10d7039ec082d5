import CSQLite

/// One open database. In one thread; closed when nothing holds it and its statements any more.
@safe
struct SQLiteConnection: ~Copyable {
  private let handle: OpaquePointer

  /// Opens a file, or makes it.
  ///
  /// - Throws: where there is none and none can be made.
  init(path: String) throws(SQLiteError) {
    var opened: OpaquePointer?
    // No mutex of SQLite's own: one thread has it.
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
    guard code == SQLITE_OK, let opened = unsafe opened else {
      let error = unsafe SQLiteError(code: code, of: opened, "open")
      unsafe sqlite3_close_v2(opened)
      throw error
    }
    unsafe handle = opened
  }

  /// Opens a file to look at it where nothing can be made beside it, neither a log nor the memory that processes share.
  /// No other process may have it open.
  ///
  /// - Parameter hasLog: a log lies beside it, which is read, too.
  init(lookingAt path: String, hasLog: Bool) throws(SQLiteError) {
    var opened: OpaquePointer?
    // Without a log the file is all there is (`immutable`); with one it is written to only by what closing it may do.
    let access = hasLog ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
    let flags = access | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    var name = "file:"
    for byte in path.utf8 {
      // What has a meaning in such a name (https://www.sqlite.org/uri.html), and what is half a letter.
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

  // Statements that still exist keep the connection until they are gone, too.
  deinit { unsafe sqlite3_close_v2(handle) }

  /// Runs statements that give nothing back and have no parameters.
  func execute(_ sql: String, _ action: StaticString) throws(SQLiteError) {
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw unsafe SQLiteError(code: code, of: handle, action) }
  }

  /// The first column of the first row that a statement gives, as a number; 0 for none.
  func number(_ sql: String, _ action: StaticString) throws(SQLiteError) -> Int64 {
    var statement = try SQLiteStatement(self, sql, action)
    return try statement.next() ? statement.number(0) : 0
  }

  /// The same as text.
  func text(_ sql: String, _ action: StaticString) throws(SQLiteError) -> String {
    var statement = try SQLiteStatement(self, sql, action)
    return try statement.next() ? statement.text(0) : ""
  }

  /// Whether a transaction is open.
  var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

  /// Rows that the last statement changed.
  var changes: Int64 { unsafe sqlite3_changes64(handle) }

  /// Leaves the log where it is when the connection is closed.
  ///
  /// SQLite removes it by its name. Where the database has been renamed meanwhile, that is the log of another one.
  func keepLog() {
    var keeps: Int32 = 1
    _ = unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &keeps)
  }

  /// Makes a statement ready; the caller finalises it.
  func prepare(_ sql: String, _ action: StaticString) throws(SQLiteError) -> OpaquePointer {
    var prepared: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared = unsafe prepared else {
      throw unsafe SQLiteError(code: code, of: handle, action)
    }
    return unsafe prepared
  }
}
