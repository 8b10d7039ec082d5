import CSQLite

/// A prepared SQL statement, which can be executed many times.
///
/// Bind the parameters first. Then call ``run()`` or, to read rows, ``next()`` until it returns `false`. The values of
/// a row are valid until the next call. ``reset()`` skips the remaining rows. Parameters are numbered from 1, columns
/// from 0.
@safe
struct SQLiteStatement: ~Copyable {
  private let handle: OpaquePointer
  /// The purpose of the statement, for error messages.
  private let action: StaticString

  init(_ connection: borrowing SQLiteConnection, _ sql: String, _ action: StaticString) throws(SQLiteError) {
    self.action = action
    unsafe handle = try connection.prepare(sql, action)
  }

  deinit { unsafe sqlite3_finalize(handle) }

  /// Binds a number to a parameter.
  mutating func bind(_ number: Int64, at parameter: Int32) {
    let code = unsafe sqlite3_bind_int64(handle, parameter, number)
    precondition(code == SQLITE_OK, "no such parameter, or the statement is running")
  }

  /// Binds an unsigned number to a parameter, as the signed number with the same bits.
  mutating func bind(_ number: UInt64, at parameter: Int32) { bind(Int64(bitPattern: number), at: parameter) }

  /// Binds a copy of a text to a parameter.
  mutating func bind(_ text: String, at parameter: Int32) {
    // The value -1 means SQLITE_TRANSIENT, a cast that Swift cannot import from C.
    let copied = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    let code = unsafe sqlite3_bind_text(handle, parameter, text, -1, copied)
    precondition(code == SQLITE_OK, "no such parameter, or the statement is running")
  }

  /// Executes a statement that returns no rows.
  mutating func run() throws(SQLiteError) {
    let code = unsafe sqlite3_step(handle)
    defer { reset() }
    guard code == SQLITE_DONE || code == SQLITE_ROW else { throw failure(code) }
  }

  /// Executes a statement that returns no rows, and binds bytes to one parameter for this execution only.
  mutating func run(_ bytes: [UInt8], at parameter: Int32) throws(SQLiteError) {
    let code = unsafe bytes.withUnsafeBytes { bytes in
      // SQLite does not copy the bytes. They exist until the execution has ended.
      let bound = unsafe sqlite3_bind_blob64(handle, parameter, bytes.baseAddress, UInt64(bytes.count), nil)
      precondition(bound == SQLITE_OK, "no such parameter, or the statement is running")
      return unsafe sqlite3_step(handle)
    }
    let error = code == SQLITE_DONE ? nil : failure(code)
    reset()
    unsafe sqlite3_clear_bindings(handle)
    if let error { throw error }
  }

  /// Steps to the next row.
  ///
  /// - Returns: `false` if there is no further row. The statement is then reset.
  mutating func next() throws(SQLiteError) -> Bool {
    let code = unsafe sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    let error = code == SQLITE_DONE ? nil : failure(code)
    reset()
    if let error { throw error }
    return false
  }

  /// Ends the execution, so that the statement can be executed again. Remaining rows are skipped.
  mutating func reset() { unsafe sqlite3_reset(handle) }

  /// Returns a column of the current row as a number; 0 for NULL.
  func number(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

  /// Returns a column of the current row as an unsigned number, which is stored as the signed number with the same
  /// bits.
  func unsigned(_ column: Int32) -> UInt64 { UInt64(bitPattern: number(column)) }

  /// Whether a column of the current row is NULL.
  func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

  /// Returns a column of the current row as text; empty for NULL.
  func text(_ column: Int32) -> String {
    guard let characters = unsafe sqlite3_column_text(handle, column) else { return "" }
    return unsafe String(cString: characters)
  }

  /// Calls `body` with a blob in a column of the current row. The span is valid only during the call.
  func withBytes<Result, Failure: Error>(
    _ column: Int32, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let start = unsafe sqlite3_column_blob(handle, column)
    let count = unsafe start == nil ? 0 : Int(sqlite3_column_bytes(handle, column))
    let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
    return try unsafe body(bytes.bindMemory(to: UInt8.self).span)
  }

  private func failure(_ code: Int32) -> SQLiteError {
    unsafe SQLiteError(code: code, of: sqlite3_db_handle(handle), action)
  }
}

extension SQLiteStatement {
  /// Executes a query with at most one row, and returns its first column as a number; 0 if there is no row.
  mutating func onlyNumber() throws(SQLiteError) -> Int64 {
    guard try next() else { return 0 }
    let number = number(0)
    reset()
    return number
  }
}
