import FleetDomain
import Telemetry

extension PostgreSQLSession {
  func insert(_ rows: [RecordRow]) throws(StoreFailure) -> [Int: TimeQuality] {
    guard !rows.isEmpty else { return [:] }
    try widen(rows.map { ($0.key, $0.time) })
    // Arrays of columns: one statement for any number of rows, and no text is made of any value.
    var parameters = keys(of: rows.map(\.key))
    parameters.add(array: rows, of: PostgreSQLType.int8, arrayType: PostgreSQLType.int8Array) {
      $1.append(bigEndian: $0.time)
    }
    parameters.add(array: rows, of: PostgreSQLType.int2, arrayType: PostgreSQLType.int2Array) {
      $1.append(bigEndian: Int16($0.quality.rawValue))
    }
    parameters.add(array: rows, of: PostgreSQLType.bytea, arrayType: PostgreSQLType.byteaArray) {
      $1.append(contentsOf: $0.body)
    }
    let stored = try connection.query(
      """
      INSERT INTO record (tenant, vehicle, class, id, time, quality, body)
      SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING
      """, parameters
    ).changed
    return stored == rows.count ? [:] : try existing(rows)
  }

  /// Rows that this transaction did not insert, with their quality: asked only when there are any.
  private func existing(_ rows: [RecordRow]) throws(StoreFailure) -> [Int: TimeQuality] {
    let result = try connection.query(
      """
      SELECT k.number, r.quality FROM unnest($1, $2, $3, $4) WITH ORDINALITY AS k (tenant, vehicle, class, id, number)
      CROSS JOIN LATERAL (
        SELECT quality, xmin FROM record
        WHERE class = k.class AND tenant = k.tenant AND vehicle = k.vehicle AND id = k.id LIMIT 1) AS r
      WHERE r.xmin <> pg_current_xact_id()::xid
      """, keys(of: rows.map(\.key)))
    var existing: [Int: TimeQuality] = [:]
    for row in 0..<result.count {
      let quality = TimeQuality(rawValue: UInt8(truncatingIfNeeded: result.integer(row, 1)))
      existing[Int(result.integer(row, 0)) - 1] = quality ?? .gps
    }
    return existing
  }

  func found(_ keys: [RowKey]) throws(StoreFailure) -> [FoundRow] {
    guard !keys.isEmpty else { return [] }
    return try connection.query(
      """
      SELECT k.vehicle, k.class, r.time, k.id, r.quality, r.body
      FROM unnest($1, $2, $3, $4) WITH ORDINALITY AS k (tenant, vehicle, class, id, number)
      CROSS JOIN LATERAL (
        SELECT time, quality, body FROM record
        WHERE class = k.class AND tenant = k.tenant AND vehicle = k.vehicle AND id = k.id LIMIT 1) AS r
      ORDER BY k.number
      """, self.keys(of: keys)
    ).foundRows()
  }

  /// Tenants, vehicles, classes and ids as `$1` to `$4`.
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
