import FleetDomain
import Telemetry

extension PostgreSQLSession {
  /// Inserts rows with COPY, which is faster than INSERT. If one of the rows exists already, COPY fails, and with it
  /// the transaction. The transaction is then repeated with INSERT, which skips existing rows.
  ///
  /// Rows are inserted into each partition by the partition's name. If a partition no longer exists, or if the rows do
  /// not belong to it, the statement fails. Thus no row is stored where readers would not find it.
  func insert(_ rows: [RecordRow]) throws(StoreFailure) -> [Int: StoredQuality] {
    var placement = PostgreSQLPlacement(partitions)
    for (index, row) in rows.enumerated() { try placement.add(index, row.key, time: row.time) }
    try widen(placement)
    var existing: [Int: StoredQuality] = [:]
    // All transactions insert into partitions in the same order, so that no two transactions wait for each other.
    for part in placement.parts.sorted(by: { $0.name.table < $1.name.table }) {
      let own = part.rows.count == rows.count ? rows : part.rows.map { rows[$0] }
      if expectsDuplicates {
        let present = try insertMissing(own, part.name.table)
        for (index, row) in own.enumerated() where present[index] == nil { recordBytes.addRow(row) }
        for (index, quality) in present { existing[part.rows[index]] = quality }
      } else {
        try connection.copy(
          "COPY \(part.name.table) (\(Self.columns)) FROM STDIN (FORMAT binary)",
          Self.copyData(of: own))
        for row in own { recordBytes.addRow(row) }
      }
    }
    return existing
  }

  static let columns = "tenant, vehicle, class, id, time, seq, quality, received, body"

  private func insertMissing(_ rows: [RecordRow], _ table: String) throws(StoreFailure) -> [Int: StoredQuality] {
    // Columns are passed as arrays. Thus, one statement inserts any number of rows, and values are not converted to
    // text.
    var parameters = keys(of: rows.map(\.key))
    parameters.add(array: rows, of: PostgreSQLType.int8, arrayType: PostgreSQLType.int8Array) {
      $1.append(bigEndian: $0.time)
    }
    parameters.add(array: rows, of: PostgreSQLType.int8, arrayType: PostgreSQLType.int8Array) {
      $1.append(bigEndian: $0.sequence)
    }
    parameters.add(array: rows, of: PostgreSQLType.int2, arrayType: PostgreSQLType.int2Array) {
      $1.append(bigEndian: Int16($0.quality.rawValue))
    }
    parameters.add(array: rows, of: PostgreSQLType.int8, arrayType: PostgreSQLType.int8Array) {
      $1.append(bigEndian: $0.received)
    }
    parameters.add(array: rows, of: PostgreSQLType.bytea, arrayType: PostgreSQLType.byteaArray) {
      $1.append(contentsOf: $0.body)
    }
    let stored = try connection.query(
      """
      INSERT INTO \(table) (\(Self.columns))
      SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING
      """, parameters
    ).changed
    return stored == rows.count ? [:] : try existing(rows, table)
  }

  /// Encodes rows in the binary format of COPY: a header; for each row the number of its fields, and each field after
  /// its length; then a trailer.
  private static func copyData(of rows: [RecordRow]) -> [UInt8] {
    var data = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00]
    data.reserveCapacity(rows.reduce(64) { $0 + $1.body.count + 104 })
    data.append(bigEndian: Int32(0))
    data.append(bigEndian: Int32(0))
    for row in rows {
      data.append(bigEndian: Int16(9))
      data.append(bigEndian: Int32(4))
      data.append(bigEndian: row.key.tenant)
      data.append(bigEndian: Int32(4))
      data.append(bigEndian: row.key.vehicle)
      data.append(bigEndian: Int32(2))
      data.append(bigEndian: row.key.recordClass)
      data.append(bigEndian: Int32(16))
      data.append(bigEndian: row.key.idHigh)
      data.append(bigEndian: row.key.idLow)
      data.append(bigEndian: Int32(8))
      data.append(bigEndian: row.time)
      data.append(bigEndian: Int32(8))
      data.append(bigEndian: row.sequence)
      data.append(bigEndian: Int32(2))
      data.append(bigEndian: Int16(row.quality.rawValue))
      data.append(bigEndian: Int32(8))
      data.append(bigEndian: row.received)
      data.append(bigEndian: Int32(truncatingIfNeeded: row.body.count))
      data.append(contentsOf: row.body)
    }
    data.append(bigEndian: Int16(-1))
    return data
  }

  /// Returns the time qualities of the rows that existed before this transaction. The keys are the indices in `rows`.
  /// The function is called only if there are such rows.
  private func existing(_ rows: [RecordRow], _ table: String) throws(StoreFailure) -> [Int: StoredQuality] {
    let result = try connection.query(
      """
      SELECT k.number, r.quality FROM unnest($1, $2, $3, $4) WITH ORDINALITY AS k (tenant, vehicle, class, id, number)
      CROSS JOIN LATERAL (
        SELECT quality, xmin FROM \(table)
        WHERE class = k.class AND tenant = k.tenant AND vehicle = k.vehicle AND id = k.id LIMIT 1) AS r
      WHERE r.xmin <> pg_current_xact_id()::xid
      """, keys(of: rows.map(\.key)))
    var existing: [Int: StoredQuality] = [:]
    for row in 0..<result.count {
      let quality = StoredQuality(rawValue: UInt8(truncatingIfNeeded: result.integer(row, 1)))
      existing[Int(result.integer(row, 0)) - 1] = quality ?? .gps
    }
    return existing
  }

  func found(_ keys: [RowKey]) throws(StoreFailure) -> [FoundRow] {
    guard !keys.isEmpty else { return [] }
    return try connection.query(
      """
      SELECT r.* FROM unnest($1, $2, $3, $4) WITH ORDINALITY AS k (tenant, vehicle, class, id, number)
      CROSS JOIN LATERAL (
        SELECT \(FoundRow.columns) FROM record
        WHERE class = k.class AND tenant = k.tenant AND vehicle = k.vehicle AND id = k.id LIMIT 1) AS r
      ORDER BY k.number
      """, self.keys(of: keys)
    ).foundRows()
  }

  /// Returns the parameters `$1` to `$4`: four arrays with the tenants, vehicles, classes and ids of the keys.
  private func keys(of keys: [RowKey]) -> PostgreSQLParameters {
    var parameters = PostgreSQLParameters()
    parameters.add(array: keys, of: PostgreSQLType.int4, arrayType: PostgreSQLType.int4Array) {
      $1.append(bigEndian: $0.tenant)
    }
    parameters.add(array: keys, of: PostgreSQLType.int4, arrayType: PostgreSQLType.int4Array) {
      $1.append(bigEndian: $0.vehicle)
    }
    parameters.add(array: keys, of: PostgreSQLType.int2, arrayType: PostgreSQLType.int2Array) {
      $1.append(bigEndian: $0.recordClass)
    }
    parameters.add(array: keys, of: PostgreSQLType.uuid, arrayType: PostgreSQLType.uuidArray) {
      $1.append(bigEndian: $0.idHigh)
      $1.append(bigEndian: $0.idLow)
    }
    return parameters
  }
}
