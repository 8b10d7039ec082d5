import CSQLite
import FleetDomain
import GRDB
import Telemetry

/// A prepared statement that is executed through SQLite's C API. Inserts use it because it is fast: up to a hundred
/// thousand inserts are executed per second.
///
/// Call order: bind all parameters, then call ``run()``, or ``next()`` until it returns `false`. Parameters are
/// numbered from 1, columns from 0. Only one query with the same SQL text may exist at a time.
@safe
struct SQLiteQuery: ~Copyable {
  private let handle: OpaquePointer

  init(_ database: Database, _ sql: String) throws(StoreFailure) {
    do {
      unsafe handle = try database.cachedStatement(sql: sql).sqliteStatement
    } catch {
      throw StoreFailure(sqlite: error)
    }
  }

  // The connection keeps the statement in its cache, so the statement's row and its bound bytes are released here.
  deinit {
    unsafe sqlite3_reset(handle)
    unsafe sqlite3_clear_bindings(handle)
  }

  borrowing func bind(_ number: Int64, at parameter: Int32) {
    check(unsafe sqlite3_bind_int64(handle, parameter, number))
  }

  borrowing func bind(_ value: SQLValue, at parameter: Int32) {
    switch value {
    case .null: check(unsafe sqlite3_bind_null(handle, parameter))
    case .integer(let number): bind(number, at: parameter)
    case .real(let number): check(unsafe sqlite3_bind_double(handle, parameter, number))
    case .text(let text):
      let count = Int32(text.utf8.count)
      check(unsafe sqlite3_bind_text(handle, parameter, text, count, Self.copied))
    case .bytes(let bytes): bind(bytes, at: parameter)
    case .identifier(let identifier): bind(high: identifier.high, low: identifier.low, at: parameter)
    }
  }

  /// Binds a copy of the bytes to a parameter.
  borrowing func bind(_ bytes: [UInt8], at parameter: Int32) {
    // An empty array may have no address, which SQLite would read as null.
    if bytes.isEmpty { return check(unsafe sqlite3_bind_zeroblob(handle, parameter, 0)) }
    let code = unsafe bytes.withUnsafeBytes { bytes in
      unsafe sqlite3_bind_blob64(handle, parameter, bytes.baseAddress, UInt64(bytes.count), Self.copied)
    }
    check(code)
  }

  /// Binds an identifier to a parameter, as 16 bytes.
  borrowing func bind(high: UInt64, low: UInt64, at parameter: Int32) {
    var bytes: InlineArray<2, UInt64> = [high.bigEndian, low.bigEndian]
    let code = unsafe withUnsafeBytes(of: &bytes) { bytes in
      unsafe sqlite3_bind_blob(handle, parameter, bytes.baseAddress, 16, Self.copied)
    }
    check(code)
  }

  /// Executes a statement whose rows, if any, are not needed.
  ///
  /// - Returns: number of changed rows.
  @discardableResult
  borrowing func run() throws(StoreFailure) -> Int {
    while try next() {}
    return unsafe Int(sqlite3_changes(sqlite3_db_handle(handle)))
  }

  /// Reads the next row. Returns `false` if there is no further row; parameters can then be bound again.
  borrowing func next() throws(StoreFailure) -> Bool {
    let code = unsafe sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    let words = unsafe code == SQLITE_DONE ? "" : String(cString: sqlite3_errmsg(sqlite3_db_handle(handle)))
    let extended = unsafe sqlite3_extended_errcode(sqlite3_db_handle(handle))
    unsafe sqlite3_reset(handle)
    guard code == SQLITE_DONE else { throw StoreFailure(sqliteCode: extended, words) }
    return false
  }

  /// Ends the execution. Rows that were not read are discarded.
  borrowing func reset() { unsafe sqlite3_reset(handle) }

  borrowing func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

  borrowing func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

  borrowing func bytes(_ column: Int32) -> [UInt8] {
    let start = unsafe sqlite3_column_blob(handle, column)
    let count = unsafe start == nil ? 0 : Int(sqlite3_column_bytes(handle, column))
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Returns the identifier in a column of 16 bytes; `nil` if the column is null or not an identifier.
  borrowing func identifier(_ column: Int32) -> UUIDv7? {
    guard let start = unsafe sqlite3_column_blob(handle, column), unsafe sqlite3_column_bytes(handle, column) == 16
    else { return nil }
    let high = unsafe start.loadUnaligned(as: UInt64.self).bigEndian
    let low = unsafe start.loadUnaligned(fromByteOffset: 8, as: UInt64.self).bigEndian
    return UUIDv7(high: high, low: low)
  }

  /// Returns all columns of the current row.
  borrowing func row() -> SQLRow {
    let count = unsafe sqlite3_column_count(handle)
    return SQLRow(
      values: (0..<count).map { column in
        switch unsafe sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: .integer(integer(column))
        case SQLITE_FLOAT: .real(unsafe sqlite3_column_double(handle, column))
        case SQLITE_TEXT: .text(String(decoding: bytes(column), as: UTF8.self))
        case SQLITE_BLOB: .bytes(bytes(column))
        default: .null
        }
      })
  }

  /// SQLITE_TRANSIENT, which makes SQLite copy the bytes. It is defined with a cast that Swift cannot import.
  private static var copied: sqlite3_destructor_type { unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

  private borrowing func check(_ code: Int32) {
    precondition(code == SQLITE_OK, "no such parameter, or the statement is running")
  }
}
