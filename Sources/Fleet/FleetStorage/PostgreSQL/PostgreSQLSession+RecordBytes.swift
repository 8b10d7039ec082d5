import FleetDomain
import Telemetry

/// The sizes of the tenants' records in each partition (table `part_bytes`). With them, the size of a dropped partition
/// is known without reading its rows.
///
/// The key of a row contains the month of the records' ids, not the partition. Therefore it does not change if records
/// are moved between partitions. All records of a month are in the month's partition or, if there is none, in the
/// partition `odd`.
extension PostgreSQLSession {
  /// Stores the changes of the sizes of parts. Call this before the commit, after ``storeRecordBytes()``, which locks
  /// the tenants.
  func storePartBytes() throws(StoreFailure) {
    let changes = recordBytes.takeParts()
    if changes.isEmpty { return }
    var parameters = PostgreSQLParameters()
    parameters.add(array: changes, of: PostgreSQLType.int4, arrayType: PostgreSQLType.int4Array) {
      $1.append(bigEndian: $0.part.tenant)
    }
    parameters.add(array: changes, of: PostgreSQLType.int2, arrayType: PostgreSQLType.int2Array) {
      $1.append(bigEndian: $0.part.recordClass)
    }
    parameters.add(array: changes, of: PostgreSQLType.int2, arrayType: PostgreSQLType.int2Array) {
      $1.append(bigEndian: Int16(truncatingIfNeeded: $0.part.month))
    }
    parameters.add(array: changes, of: PostgreSQLType.int8, arrayType: PostgreSQLType.int8Array) {
      $1.append(bigEndian: $0.bytes)
    }
    _ = try connection.query(
      """
      INSERT INTO part_bytes (tenant, class, month, bytes) SELECT * FROM unnest($1, $2, $3, $4)
      ON CONFLICT (class, month, tenant) DO UPDATE SET bytes = part_bytes.bytes + excluded.bytes
      """, parameters)
  }

  /// Counts deleted rows of a partition.
  ///
  /// - Parameter removed: the tenant, the id and the size of each deleted row.
  func count(removed: borrowing PostgreSQLResult, of name: PostgreSQLPartitions.Name) {
    for row in 0..<removed.count {
      guard let id = removed.identifier(row, 1) else { continue }
      let key = RowKey(
        tenant: Int32(removed.integer(row, 0)), vehicle: 0, recordClass: name.recordClass.number, idHigh: id.high,
        idLow: id.low)
      recordBytes.add(-removed.integer(row, 2), key)
    }
  }

  /// Counts the rows of a dropped partition.
  ///
  /// - Parameter kept: the sizes of the rows that were moved to the partition `odd`.
  func count(
    dropped name: PostgreSQLPartitions.Name, kept: [(tenant: Int32, bytes: Int64)]
  ) throws(StoreFailure) {
    let sizes = try rows(
      "DELETE FROM part_bytes WHERE class = $1 AND month = $2 RETURNING tenant, bytes",
      [.integer(Int64(name.recordClass.number)), .integer(name.number)])
    for row in sizes { recordBytes.add(-row.integer(1), tenant: Int32(row.integer(0))) }
    for (tenant, bytes) in kept {
      let part = RecordBytes.Part(tenant: tenant, recordClass: name.recordClass.number, month: Int(name.number))
      recordBytes.add(bytes, part)
    }
  }
}
