import FleetDomain
import GRDB
import Telemetry

/// A transaction on a SQLite connection.
struct SQLiteSession: StoreSession {
  let database: Database
  let recordBytes = RecordBytes(countsParts: false)

  /// SQLite needs no clause, because the only writing transaction has already locked the whole file.
  var lockingRows: String { "" }

  func lockRevocations() {}

  func rows(_ sql: String, _ values: [SQLValue]) throws(StoreFailure) -> [SQLRow] {
    let query = try bound(sql, values)
    var rows: [SQLRow] = []
    while try query.next() { rows.append(query.row()) }
    return rows
  }

  @discardableResult
  func run(_ sql: String, _ values: [SQLValue]) throws(StoreFailure) -> Int { try bound(sql, values).run() }

  private func bound(_ sql: String, _ values: [SQLValue]) throws(StoreFailure) -> SQLiteQuery {
    // Statements for both databases contain `$1`. SQLite would treat `$1` as a name, to which it assigns the next free
    // number. `?1` is always the first parameter.
    let dollar = UInt8(ascii: "$")
    // The text is converted as bytes. Converting it as characters takes ten times as long as most statements.
    let text = sql.utf8.map { $0 == dollar ? UInt8(ascii: "?") : $0 }
    let query = try SQLiteQuery(database, String(decoding: text, as: UTF8.self))
    for (index, value) in values.enumerated() { query.bind(value, at: Int32(index) + 1) }
    return query
  }

  func tenant(_ id: TenantID) throws(StoreFailure) -> Int32? {
    try rows("SELECT key FROM tenant WHERE id = $1", [.text(id.text)]).first.map { Int32($0.integer(0)) }
  }

  func publish(
    _ keys: [RowKey], tenant: Int32, named id: TenantID, at now: Int64
  ) throws(StoreFailure) -> FeedPosition {
    try run(
      "UPDATE tenant SET position = position + $2, record_bytes = record_bytes + $3 WHERE key = $1",
      [SQLValue(tenant), .integer(Int64(keys.count)), .integer(recordBytes.removeBytes(of: tenant))])
    let position = try feed(of: tenant).position
    try run(
      "INSERT INTO feed (tenant, position, at, keys) VALUES ($1, $2, $3, $4)",
      [SQLValue(tenant), .integer(position), .integer(now), .bytes(FeedKeys.column(keys))])
    return FeedPosition(rawValue: position)
  }

  func vehicles(named names: [String], tenant: Int32) throws(StoreFailure) -> [VehicleRow] {
    let query = try SQLiteQuery(
      database,
      "SELECT key, id, vin, registered_by, is_gateway FROM vehicle WHERE tenant = ?1 AND (id = ?2 OR vin = ?2)")
    var found: [Int32: VehicleRow] = [:]
    for name in names {
      query.bind(Int64(tenant), at: 1)
      query.bind(.text(name), at: 2)
      while try query.next() {
        let row = query.row()
        let key = Int32(row.integer(0))
        found[key] = VehicleRow(
          key: key, id: row.text(1), vin: row.optionalText(2), registeredBy: row.optionalText(3),
          isGateway: row.integer(4) == 1)
      }
    }
    return found.values.sorted { $0.key < $1.key }
  }

  func insert(_ rows: [RecordRow]) throws(StoreFailure) -> [Int: StoredQuality] {
    let insert = try SQLiteQuery(
      database,
      """
      INSERT INTO record (tenant, vehicle, class, time, seq, id, quality, received, body)
      VALUES (?1, ?2, ?3, ?4, ?8, ?5, ?6, ?9, ?7) ON CONFLICT DO NOTHING
      """)
    let select = try SQLiteQuery(
      database, "SELECT quality FROM record WHERE tenant = ?1 AND vehicle = ?2 AND class = ?3 AND id = ?4")
    var existing: [Int: StoredQuality] = [:]
    for (index, row) in rows.enumerated() {
      insert.bind(Int64(row.key.tenant), at: 1)
      insert.bind(Int64(row.key.vehicle), at: 2)
      insert.bind(Int64(row.key.recordClass), at: 3)
      insert.bind(row.time, at: 4)
      insert.bind(high: row.key.idHigh, low: row.key.idLow, at: 5)
      insert.bind(Int64(row.quality.rawValue), at: 6)
      insert.bind(row.body, at: 7)
      insert.bind(row.sequence, at: 8)
      insert.bind(row.received, at: 9)
      if try insert.run() == 1 {
        recordBytes.addRow(row)
        continue
      }
      select.bind(Int64(row.key.tenant), at: 1)
      select.bind(Int64(row.key.vehicle), at: 2)
      select.bind(Int64(row.key.recordClass), at: 3)
      select.bind(high: row.key.idHigh, low: row.key.idLow, at: 4)
      if try select.next() {
        existing[index] = StoredQuality(rawValue: UInt8(truncatingIfNeeded: select.integer(0))) ?? .gps
      }
      select.reset()
    }
    return existing
  }

  func prepare(for improvements: [Improvement]) {}

  func touch(_ vehicles: [VehicleTouch]) throws(StoreFailure) {
    // If an argument is null, `max` in SQLite returns null, unlike `greatest` in PostgreSQL.
    let time = try SQLiteQuery(
      database,
      """
      UPDATE vehicle SET last_record_at = max(coalesce(last_record_at, ?2), ?2),
        place_time = coalesce(max(coalesce(place_time, ?3), ?3), place_time),
        place = coalesce(max(coalesce(place, ?4), ?4), place),
        motion = coalesce(max(coalesce(motion, ?5), ?5), motion),
        last_trip = coalesce(max(coalesce(last_trip, ?6), ?6), last_trip), changes = changes + 1
      WHERE key = ?1
      """)
    let newest = try SQLiteQuery(
      database,
      """
      INSERT INTO newest (vehicle, class, ecu, time, seq, id) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      ON CONFLICT (vehicle, class, ecu) DO UPDATE SET time = excluded.time, seq = excluded.seq, id = excluded.id
      WHERE (excluded.time, excluded.seq, excluded.id) > (newest.time, newest.seq, newest.id)
      """)
    for vehicle in vehicles {
      time.bind(Int64(vehicle.vehicle), at: 1)
      time.bind(vehicle.time, at: 2)
      time.bind(SQLValue(vehicle.lastKnown[.place]?.milliseconds), at: 3)
      time.bind(SQLValue(vehicle.lastKnown[.place]), at: 4)
      time.bind(SQLValue(vehicle.lastKnown[.motion]), at: 5)
      time.bind(SQLValue(vehicle.lastKnown[.trip]), at: 6)
      try time.run()
      for record in vehicle.newest {
        newest.bind(Int64(vehicle.vehicle), at: 1)
        newest.bind(Int64(record.part.recordClass), at: 2)
        newest.bind(.text(record.part.ecu), at: 3)
        newest.bind(record.time, at: 4)
        newest.bind(record.sequence, at: 5)
        newest.bind(high: record.idHigh, low: record.idLow, at: 6)
        try newest.run()
      }
    }
  }

  func markStale(_ hours: [StaleHour], at now: Int64) throws(StoreFailure) {
    let query = try SQLiteQuery(
      database, "INSERT INTO stale_hour (vehicle, hour, since) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")
    for hour in hours {
      query.bind(Int64(hour.vehicle), at: 1)
      query.bind(hour.hour, at: 2)
      query.bind(now, at: 3)
      try query.run()
    }
  }

  func found(_ keys: [RowKey]) throws(StoreFailure) -> [FoundRow] {
    let query = try SQLiteQuery(
      database,
      """
      SELECT \(FoundRow.columns) FROM record WHERE tenant = ?1 AND vehicle = ?2 AND class = ?3 AND id = ?4
      """)
    var found: [FoundRow] = []
    for key in keys {
      query.bind(Int64(key.tenant), at: 1)
      query.bind(Int64(key.vehicle), at: 2)
      query.bind(Int64(key.recordClass), at: 3)
      query.bind(high: key.idHigh, low: key.idLow, at: 4)
      while try query.next() { found.append(try query.foundRow()) }
    }
    return found
  }
}

extension SQLiteQuery {
  /// Reads the current row of a statement that selects ``FoundRow/columns``.
  borrowing func foundRow() throws(StoreFailure) -> FoundRow {
    guard let recordClass = RecordClass(number: Int16(truncatingIfNeeded: integer(1))), let id = identifier(4),
      let quality = StoredQuality(rawValue: UInt8(truncatingIfNeeded: integer(5)))
    else { throw StoreFailure(.damaged, "record", "invalid row") }
    return FoundRow(
      recordClass: recordClass, vehicle: Int32(truncatingIfNeeded: integer(0)), time: integer(2),
      sequence: integer(3), id: id, quality: quality, received: isNull(6) ? nil : integer(6), body: bytes(7))
  }
}
