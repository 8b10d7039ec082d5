import CSQLite

/// A statement that was made ready once and runs many times.
///
/// Call order: bind, then ``run()``, or ``next()`` until it says false; what is given back is valid until the next
/// call. ``reset()`` leaves rows that are not wanted any more. Parameters count from 1, columns from 0.
@safe
struct SQLiteStatement: ~Copyable {
  private let handle: OpaquePointer
  /// What it does, for errors.
  private let action: StaticString

  init(_ connection: borrowing SQLiteConnection, _ sql: String, _ action: StaticString) throws(SQLiteError) {
    self.action = action
    unsafe handle = try connection.prepare(sql, action)
  }

  deinit { unsafe sqlite3_finalize(handle) }

  /// Binds a number.
  mutating func bind(_ number: Int64, at parameter: Int32) {
    let code = unsafe sqlite3_bind_int64(handle, parameter, number)
    precondition(code == SQLITE_OK, "a parameter that the statement does not have, or has while it runs")
  }

  /// Binds an unsigned number, bit by bit.
  mutating func bind(_ number: UInt64, at parameter: Int32) { bind(Int64(bitPattern: number), at: parameter) }

  /// Binds text, which is copied.
  mutating func bind(_ text: String, at parameter: Int32) {
    // SQLITE_TRANSIENT: a cast that C makes and Swift's importer does not.
    let copied = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    let code = unsafe sqlite3_bind_text(handle, parameter, text, -1, copied)
    precondition(code == SQLITE_OK, "a parameter that the statement does not have, or has while it runs")
  }

  /// Runs a statement that gives no rows.
  mutating func run() throws(SQLiteError) {
    let code = unsafe sqlite3_step(handle)
    defer { reset() }
    guard code == SQLITE_DONE || code == SQLITE_ROW else { throw failure(code) }
  }

  /// Runs a statement that gives no rows, with bytes as one of its parameters.
  mutating func run(_ bytes: [UInt8], at parameter: Int32) throws(SQLiteError) {
    let code = unsafe bytes.withUnsafeBytes { bytes in
      // Not copied: the bytes are there until the statement is through with them.
      let bound = unsafe sqlite3_bind_blob64(handle, parameter, bytes.baseAddress, UInt64(bytes.count), nil)
      precondition(bound == SQLITE_OK, "a parameter that the statement does not have, or has while it runs")
      return unsafe sqlite3_step(handle)
    }
    let error = code == SQLITE_DONE ? nil : failure(code)
    reset()
    unsafe sqlite3_clear_bindings(handle)
    if let error { throw error }
  }

  /// Goes to the next row; false: there is none, and the statement may be bound anew.
  mutating func next() throws(SQLiteError) -> Bool {
    let code = unsafe sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    let error = code == SQLITE_DONE ? nil : failure(code)
    reset()
    if let error { throw error }
    return false
  }

  /// Leaves the rows that are not wanted any more.
  mutating func reset() { unsafe sqlite3_reset(handle) }

  /// A number of the row; 0 where it is none.
  func number(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

  /// An unsigned number of the row, bit by bit.
  func unsigned(_ column: Int32) -> UInt64 { UInt64(bitPattern: number(column)) }

  /// Whether the row has nothing there.
  func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

  /// Text of the row.
  func text(_ column: Int32) -> String {
    guard let characters = unsafe sqlite3_column_text(handle, column) else { return "" }
    return unsafe String(cString: characters)
  }

  /// Bytes of the row, valid during the call.
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
  /// The first column of the only row; 0 for none.
  mutating func onlyNumber() throws(SQLiteError) -> Int64 {
    guard try next() else { return 0 }
    let number = number(0)
    reset()
    return number
  }
}
