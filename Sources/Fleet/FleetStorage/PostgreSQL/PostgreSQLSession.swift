import FleetDomain
import Telemetry

/// A transaction on a PostgreSQL connection.
final class PostgreSQLSession: StoreSession {
  let connection: PostgreSQLConnection
  let partitions: PostgreSQLPartitions
  /// Whether the database probably contains some of the rows to insert already. If so, rows are inserted with INSERT,
  /// which skips existing rows. Otherwise, they are inserted with COPY, which is faster but fails if a row exists.
  let expectsDuplicates: Bool
  private(set) var recordBytes = RecordBytes(countsParts: true)
  /// The time ranges of partitions that this transaction has extended. They are valid only after its commit.
  private var learnt: [PostgreSQLPartitions.Name: PostgreSQLPartitions.Limits] = [:]

  init(connection: PostgreSQLConnection, partitions: PostgreSQLPartitions, expectsDuplicates: Bool = false) {
    self.connection = connection
    self.partitions = partitions
    self.expectsDuplicates = expectsDuplicates
  }

  /// Runs work between BEGIN and COMMIT.
  ///
  /// - Parameter mode: the SQL text after BEGIN.
  func inTransaction<Value>(
    _ mode: String = "", _ work: () throws(StoreFailure) -> Value
  ) throws(StoreFailure) -> Value {
    learnt = [:]
    recordBytes = RecordBytes(countsParts: true)
    do throws(StoreFailure) {
      try connection.execute("BEGIN \(mode)")
    } catch {
      // The connection was broken before the transaction began. Nothing was done, so the work may be repeated with
      // another connection.
      throw StoreFailure(error.error, mayRetry: true)
    }
    let value: Value
    do throws(StoreFailure) {
      value = try work()
      try storeRecordBytes()
      try storePartBytes()
      try connection.execute("COMMIT")
    } catch {
      if connection.isOpen, connection.isInTransaction { try connection.execute("ROLLBACK") }
      throw error
    }
    partitions.learn(learnt)
    return value
  }

  var lockingRows: String { " FOR UPDATE" }

  func lockRevocations() throws(StoreFailure) { try connection.execute("SELECT pg_advisory_xact_lock(1329746759, 2)") }

  func rows(_ sql: String, _ values: [SQLValue]) throws(StoreFailure) -> [SQLRow] {
    let result = try connection.query(sql, PostgreSQLParameters(values))
    var rows: [SQLRow] = []
    for row in 0..<result.count { rows.append(result.row(row)) }
    return rows
  }

  @discardableResult
  func run(_ sql: String, _ values: [SQLValue]) throws(StoreFailure) -> Int {
    try connection.query(sql, PostgreSQLParameters(values)).changed
  }

  /// Returns a tenant's key; `nil` if there is no such tenant. Keys are cached, because tenants are never removed.
  func tenant(_ id: TenantID) throws(StoreFailure) -> Int32? {
    if let known = partitions.tenants.withLock({ $0[id] }) { return known }
    let found = try rows("SELECT key FROM tenant WHERE id = $1", [.text(id.text)]).first.map { Int32($0.integer(0)) }
    if let found { partitions.tenants.withLock { $0[id] = found } }
    return found
  }

  /// Adds changes to a tenant's feed, and returns the feed's new position. PostgreSQL notifies all servers when the
  /// transaction is committed.
  func publish(
    _ keys: [RowKey], tenant: Int32, named id: TenantID, at now: Int64
  ) throws(StoreFailure) -> FeedPosition {
    let added = try rows(
      """
      WITH moved AS (
        UPDATE tenant SET position = position + $2, record_bytes = record_bytes + $6 WHERE key = $1 RETURNING position)
      INSERT INTO feed (tenant, position, at, keys) SELECT $1, position, $3, $4 FROM moved
      RETURNING position, pg_notify('\(PostgreSQLListener.channel)', $5 || ' ' || position)::text
      """,
      [
        SQLValue(tenant), .integer(Int64(keys.count)), .integer(now), .bytes(FeedKeys.column(keys)), .text(id.text),
        .integer(recordBytes.removeBytes(of: tenant)),
      ])
    guard let position = added.first?.integer(0) else {
      throw StoreFailure(.notFound, id.text, "removed meanwhile", mayRetry: true)
    }
    return FeedPosition(rawValue: position)
  }

  func vehicles(named names: [String], tenant: Int32) throws(StoreFailure) -> [VehicleRow] {
    var parameters = PostgreSQLParameters([SQLValue(tenant)])
    parameters.add(array: names, of: PostgreSQLType.text, arrayType: PostgreSQLType.textArray) { name, buffer in
      buffer.append(contentsOf: name.utf8)
    }
    let result = try connection.query(
      """
      SELECT key, id, vin, registered_by, is_gateway FROM vehicle WHERE tenant = $1 AND (id = ANY ($2) OR vin = ANY ($2))
      ORDER BY key
      """, parameters)
    var found: [VehicleRow] = []
    for row in 0..<result.count {
      let row = result.row(row)
      found.append(
        VehicleRow(
          key: Int32(row.integer(0)), id: row.text(1), vin: row.optionalText(2), registeredBy: row.optionalText(3),
          isGateway: row.integer(4) == 1))
    }
    return found
  }

  func prepare(for improvements: [Improvement]) throws(StoreFailure) {
    var placement = PostgreSQLPlacement(partitions)
    for (index, item) in improvements.enumerated() {
      try placement.add(index, item.key, time: item.time.milliseconds)
    }
    try widen(placement)
  }

  func touch(_ vehicles: [VehicleTouch]) throws(StoreFailure) {
    var parameters = PostgreSQLParameters()
    parameters.add(array: vehicles, of: PostgreSQLType.int4, arrayType: PostgreSQLType.int4Array) {
      $1.append(bigEndian: $0.vehicle)
    }
    parameters.add(array: vehicles, of: PostgreSQLType.int8, arrayType: PostgreSQLType.int8Array) {
      $1.append(bigEndian: $0.time)
    }
    parameters.add(
      optionals: vehicles.map { $0.lastKnown[.place]?.milliseconds }, of: PostgreSQLType.int8,
      arrayType: PostgreSQLType.int8Array
    ) { $1.append(bigEndian: $0) }
    for column in [LastKnownColumn.place, .motion, .trip] {
      parameters.add(
        optionals: vehicles.map { $0.lastKnown[column]?.bytes }, of: PostgreSQLType.bytea,
        arrayType: PostgreSQLType.byteaArray
      ) { $1.append(contentsOf: $0) }
    }
    let changed = try connection.query(
      """
      UPDATE vehicle SET last_record_at = greatest(last_record_at, t.time),
        place_time = greatest(vehicle.place_time, t.place_time), place = greatest(vehicle.place, t.place),
        motion = greatest(vehicle.motion, t.motion), last_trip = greatest(vehicle.last_trip, t.last_trip),
        changes = vehicle.changes + 1
      FROM unnest($1, $2, $3, $4, $5, $6) AS t (key, time, place_time, place, motion, last_trip)
      WHERE vehicle.key = t.key
      """, parameters
    ).changed
    guard changed == vehicles.count else {
      throw StoreFailure(.unavailable, "vehicle", "removed meanwhile", mayRetry: true)
    }
    try storeNewest(vehicles.flatMap { vehicle in vehicle.newest.map { (vehicle.vehicle, $0) } })
  }

  func markStale(_ hours: [StaleHour], at now: Int64) throws(StoreFailure) {
    if hours.isEmpty { return }
    var parameters = PostgreSQLParameters()
    parameters.add(array: hours, of: PostgreSQLType.int4, arrayType: PostgreSQLType.int4Array) {
      $1.append(bigEndian: $0.vehicle)
    }
    parameters.add(array: hours, of: PostgreSQLType.int8, arrayType: PostgreSQLType.int8Array) {
      $1.append(bigEndian: $0.hour)
    }
    parameters.add(.integer(now))
    _ = try connection.query(
      """
      INSERT INTO stale_hour (vehicle, hour, since) SELECT vehicle, hour, $3 FROM unnest($1, $2) AS t (vehicle, hour)
      ON CONFLICT DO NOTHING
      """, parameters)
  }

  private func storeNewest(_ newest: [(vehicle: Int32, record: NewestRecord)]) throws(StoreFailure) {
    if newest.isEmpty { return }
    var parameters = PostgreSQLParameters()
    parameters.add(array: newest, of: PostgreSQLType.int4, arrayType: PostgreSQLType.int4Array) {
      $1.append(bigEndian: $0.vehicle)
    }
    parameters.add(array: newest, of: PostgreSQLType.int2, arrayType: PostgreSQLType.int2Array) {
      $1.append(bigEndian: $0.record.part.recordClass)
    }
    parameters.add(array: newest, of: PostgreSQLType.text, arrayType: PostgreSQLType.textArray) {
      $1.append(contentsOf: $0.record.part.ecu.utf8)
    }
    parameters.add(array: newest, of: PostgreSQLType.int8, arrayType: PostgreSQLType.int8Array) {
      $1.append(bigEndian: $0.record.time)
    }
    parameters.add(array: newest, of: PostgreSQLType.int8, arrayType: PostgreSQLType.int8Array) {
      $1.append(bigEndian: $0.record.sequence)
    }
    parameters.add(array: newest, of: PostgreSQLType.uuid, arrayType: PostgreSQLType.uuidArray) {
      $1.append(bigEndian: $0.record.idHigh)
      $1.append(bigEndian: $0.record.idLow)
    }
    // No other transaction can change these rows at the same time, because the rows of their vehicles are locked.
    _ = try connection.query(
      """
      INSERT INTO newest (vehicle, class, ecu, time, seq, id) SELECT * FROM unnest($1, $2, $3, $4, $5, $6)
      ON CONFLICT (vehicle, class, ecu) DO UPDATE SET time = excluded.time, seq = excluded.seq, id = excluded.id
      WHERE (excluded.time, excluded.seq, excluded.id) > (newest.time, newest.seq, newest.id)
      """, parameters)
  }

  /// Extends the stored time ranges of partitions so that they include the times of the rows in a placement.
  func widen(_ placement: PostgreSQLPlacement) throws(StoreFailure) {
    var wanted: [PostgreSQLPartitions.Name: PostgreSQLPartitions.Limits] = [:]
    for part in placement.parts { wanted[part.name] = .init(least: part.least, most: part.most) }
    learnt.merge(try partitions.widen(wanted, self)) { $1 }
  }
}
