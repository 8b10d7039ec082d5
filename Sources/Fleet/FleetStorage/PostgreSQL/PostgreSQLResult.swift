import CPostgres
import FleetDomain
import Telemetry

/// The result of a statement in PostgreSQL's binary format. Rows and columns are numbered from 0.
@safe
struct PostgreSQLResult: ~Copyable {
  private let handle: OpaquePointer

  /// Takes ownership of libpq's handle of a result. The handle is freed together with this value.
  @unsafe init(_ handle: OpaquePointer) { unsafe self.handle = handle }

  deinit { unsafe PQclear(handle) }

  var count: Int { unsafe Int(PQntuples(handle)) }

  /// Number of rows that the statement changed.
  var changed: Int { unsafe Int(String(cString: PQcmdTuples(handle))) ?? 0 }

  func isNull(_ row: Int, _ column: Int) -> Bool { unsafe PQgetisnull(handle, Int32(row), Int32(column)) == 1 }

  /// Returns an integer of 2, 4 or 8 bytes.
  func integer(_ row: Int, _ column: Int) -> Int64 {
    withBytes(row, column) { bytes in
      var number: UInt64 = 0
      for index in bytes.indices { number = number << 8 | UInt64(bytes[index]) }
      // Extend the sign of a number that is shorter than 8 bytes.
      let unused = UInt64(64 - 8 * min(bytes.count, 8))
      return bytes.isEmpty ? 0 : Int64(bitPattern: number << unused) >> Int64(unused)
    }
  }

  func bytes(_ row: Int, _ column: Int) -> [UInt8] {
    withBytes(row, column) { bytes in unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) } }
  }

  func identifier(_ row: Int, _ column: Int) -> UUIDv7? { UUIDv7(bytes: bytes(row, column)) }

  /// Returns all columns of a row as one value.
  func row(_ row: Int) -> SQLRow {
    let columns = unsafe Int(PQnfields(handle))
    return SQLRow(
      values: (0..<columns).map { column in
        if isNull(row, column) { return .null }
        switch unsafe PQftype(handle, Int32(column)) {
        case PostgreSQLType.int2, PostgreSQLType.int4, PostgreSQLType.int8: return .integer(integer(row, column))
        case PostgreSQLType.float8:
          return .real(Double(bitPattern: UInt64(bitPattern: integer(row, column))))
        case PostgreSQLType.bytea, PostgreSQLType.uuid: return .bytes(bytes(row, column))
        default: return .text(String(decoding: bytes(row, column), as: UTF8.self))
        }
      })
  }

  private func withBytes<Value>(_ row: Int, _ column: Int, _ body: (Span<UInt8>) -> Value) -> Value {
    let count = unsafe Int(PQgetlength(handle, Int32(row), Int32(column)))
    let start = unsafe UnsafeRawPointer(PQgetvalue(handle, Int32(row), Int32(column)))
    let bytes = unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    return unsafe body(bytes.bindMemory(to: UInt8.self).span)
  }
}

extension PostgreSQLResult {
  /// Reads a row of a statement that selects ``FoundRow/columns``.
  func foundRow(_ row: Int) throws(StoreFailure) -> FoundRow {
    guard let recordClass = RecordClass(number: Int16(truncatingIfNeeded: integer(row, 1))),
      let id = identifier(row, 4), let quality = StoredQuality(rawValue: UInt8(truncatingIfNeeded: integer(row, 5)))
    else { throw StoreFailure(.damaged, "record", "invalid row") }
    return FoundRow(
      recordClass: recordClass, vehicle: Int32(truncatingIfNeeded: integer(row, 0)), time: integer(row, 2),
      sequence: integer(row, 3), id: id, quality: quality, received: isNull(row, 6) ? nil : integer(row, 6),
      body: bytes(row, 7))
  }

  /// Reads all rows of a statement that selects ``FoundRow/columns``.
  consuming func foundRows() throws(StoreFailure) -> [FoundRow] {
    var rows: [FoundRow] = []
    for row in 0..<count { rows.append(try foundRow(row)) }
    return rows
  }
}
