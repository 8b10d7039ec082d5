import FleetDomain
import Telemetry

/// The columns of a vehicle's row that contain values of the vehicle's newest records. With them, the positions of all
/// vehicles can be read from one table.
enum LastKnownColumn: String, CaseIterable {
  /// The newest position.
  case place
  /// The newest telemetry.
  case motion
  /// The newest start or end of a trip.
  case trip = "last_trip"

  /// The group of a vehicle's records (``NewestRecord/Part``) whose newest record determines this column's value.
  var part: NewestRecord.Part {
    switch self {
    case .place: .position
    case .motion: NewestRecord.Part(recordClass: RowKey.telemetryClass, ecu: "")
    case .trip: NewestRecord.Part(recordClass: RecordClass.known(.trip).number, ecu: "")
    }
  }

  init?(_ part: NewestRecord.Part) {
    guard let column = Self.allCases.first(where: { $0.part == part }) else { return nil }
    self = column
  }
}

/// The value of a ``LastKnownColumn`` as bytes: the record's time, `seq` and ID, then the column's numbers, all
/// big-endian. Newer records have greater values, so that a database can compare two values and store the newer one.
struct LastKnownValue: Equatable {
  private static let headCount = 32

  let bytes: [UInt8]

  init(stored bytes: [UInt8]) { self.bytes = bytes }

  /// Creates the value of a column.
  ///
  /// - Parameters:
  ///   - record: the newest of the records that determine the column (``LastKnownColumn/part``).
  ///   - body: the text of this record.
  init(_ column: LastKnownColumn, of record: NewestRecord, body: [UInt8]) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.headCount + 32)
    for number in [record.time, record.sequence] { bytes.append(bigEndian: UInt64(bitPattern: number) ^ (1 << 63)) }
    bytes.append(bigEndian: record.idHigh)
    bytes.append(bigEndian: record.idLow)
    switch column {
    case .place:
      let values = TelemetryValues(record: body)
      Self.append([values.latitude, values.longitude, values.heading, values.speed ?? values.gpsSpeed], to: &bytes)
    case .motion:
      let values = TelemetryValues(record: body)
      Self.append([values.speed ?? values.gpsSpeed, values.rpm], to: &bytes)
    case .trip:
      let event = (try? JSON(parsing: body))?["event"]?.textValue
      bytes.append(event == "end" ? 1 : 0)
    }
    self.bytes = bytes
  }

  private static func append(_ numbers: [Double?], to bytes: inout [UInt8]) {
    for number in numbers { bytes.append(bigEndian: (number ?? .nan).bitPattern) }
  }

  /// The time of the record, ms since 1970.
  var milliseconds: Int64 { Int64(bitPattern: word(0) ^ (1 << 63)) }
  private var time: Timestamp { StoredTime.timestamp(milliseconds) }

  /// Returns one of the column's numbers; `nil` if it is unknown.
  private func number(_ index: Int) -> Double? {
    let number = Double(bitPattern: word(Self.headCount + 8 * index))
    return number.isNaN ? nil : number
  }

  private func word(_ start: Int) -> UInt64 {
    guard start + 8 <= bytes.count else { return Double.nan.bitPattern }
    var word: UInt64 = 0
    for index in start..<(start + 8) { word = word << 8 | UInt64(bytes[index]) }
    return word
  }

  var place: LastKnown.Place? {
    guard let latitude = number(0), let longitude = number(1) else { return nil }
    return LastKnown.Place(
      time: time, latitude: latitude, longitude: longitude, heading: number(2), speed: number(3))
  }

  var motion: LastKnown.Motion? {
    bytes.count < Self.headCount ? nil : LastKnown.Motion(time: time, speed: number(0), rpm: number(1))
  }

  var trip: LastKnown.Trip? {
    bytes.count <= Self.headCount ? nil : LastKnown.Trip(time: time, hasEnded: bytes[Self.headCount] == 1)
  }
}

extension StoreSession {
  /// Sets columns of a vehicle from its newest records.
  ///
  /// - Parameter columns: the columns whose value may have changed.
  func setLastKnown(_ columns: [LastKnownColumn], of vehicle: Int32, tenant: Int32) throws(StoreFailure) {
    let newest = try newest(of: vehicle, tenant: tenant)
    for column in columns {
      var value = SQLValue.null
      if let row = newest.first(where: { $0.part == column.part })?.row, row.time != StoredTime.undated {
        let record = NewestRecord(
          part: column.part, time: row.time, sequence: row.sequence, idHigh: row.id.high, idLow: row.id.low)
        value = .bytes(LastKnownValue(column, of: record, body: row.body).bytes)
        if column == .place {
          try run("UPDATE vehicle SET place_time = $2 WHERE key = $1", [SQLValue(vehicle), .integer(row.time)])
        }
      }
      try run("UPDATE vehicle SET \(column.rawValue) = $2 WHERE key = $1", [SQLValue(vehicle), value])
    }
  }
}

extension ThingSession {
  func positions(
    fleets: [UUIDv7]?, hidingPrivateExcept drivers: [UUIDv7]?
  ) throws(ThingError) -> [LastKnown] {
    try asking { () throws(StoreFailure) in
      if let fleets, fleets.isEmpty { return [] }
      var values = [SQLValue(tenant)]
      var condition = ""
      if let fleets {
        condition = " AND v.fleet_id IN (\(fleets.indices.map { "$\($0 + 2)" }.joined(separator: ", ")))"
        values += fleets.map { .identifier($0) }
      }
      let hidden = try drivers.map { own throws(StoreFailure) in
        try vehiclesWithPrivateRecords(condition, values, except: own)
      }
      return try session.rows(
        """
        SELECT v.id, v.name, v.fleet_id, v.last_record_at, v.place, v.motion, v.last_trip,
          \(Self.driver(of: "v.tenant", "v.id", at: "v.place_time"))
        FROM vehicle AS v WHERE v.tenant = $1 AND v.is_gateway = 0 AND v.place IS NOT NULL\(condition) ORDER BY v.id
        """, values
      ).map { row in
        var known = LastKnown(vehicle: row.text(0))
        known.name = row.optionalText(1)
        known.fleetID = row.identifier(2)
        known.lastRecordAt = row.optionalInteger(3).flatMap { StoredTime.time($0) }
        known.isPrivate = hidden?.contains(known.vehicle) ?? false
        if known.isPrivate { return known }
        known.place = LastKnownValue(stored: row.bytes(4)).place
        known.motion = LastKnownValue(stored: row.bytes(5)).motion
        known.trip = LastKnownValue(stored: row.bytes(6)).trip
        known.driverID = row.identifier(7)
        return known
      }
    }
  }

  /// Returns the ids of the vehicles that may have been on a private journey at the time of the newest position, at the
  /// time of the last record, or between these times.
  ///
  /// - Parameters:
  ///   - condition: SQL that selects the vehicles `v`.
  ///   - values: the values in `condition`; the first one is the tenant.
  ///   - drivers: drivers whose private journeys are not considered, because the caller may see them.
  private func vehiclesWithPrivateRecords(
    _ condition: String, _ values: [SQLValue], except drivers: [UUIDv7]
  ) throws(StoreFailure) -> Set<String> {
    let own = drivers.indices.map { "$\(values.count + $0 + 1)" }.joined(separator: ", ")
    // Each of the two conditions on the end uses the index of private journeys. The plus sign prevents the use of the
    // index of starts, with which all journeys of a vehicle would be read.
    func exists(_ end: String) -> String {
      """
      EXISTS (SELECT 1 FROM journey AS j
        WHERE j.tenant = v.tenant AND j.vehicle_id = v.id AND j.purpose = 'private' AND \(end)
          AND +j.start_time <= v.last_record_at AND j.status IN ('inProgress', 'paused', 'completed')
          AND (j.confirmed = 1 OR EXISTS (SELECT 1 FROM assignment AS b
            WHERE b.tenant = j.tenant AND b.vehicle_id = j.vehicle_id AND b.driver_id = j.driver_id
              AND b."from" <= v.last_record_at AND (b."to" IS NULL OR b."to" > v.place_time)
              AND b.status <> 'cancelled'))
          \(drivers.isEmpty ? "" : "AND (j.driver_id IS NULL OR j.driver_id NOT IN (\(own)))"))
      """
    }
    let rows = try session.rows(
      """
      SELECT v.id FROM vehicle AS v WHERE v.tenant = $1 AND v.is_gateway = 0 AND v.place IS NOT NULL\(condition)
        AND (\(exists("j.end_time > v.place_time")) OR \(exists("j.end_time IS NULL")))
      """, values + drivers.map { .identifier($0) })
    return Set(rows.map { $0.text(0) })
  }

  func newestPlace(
    of vehicle: String, within selection: VehicleSelection
  ) throws(ThingError) -> (place: LastKnown.Place, driver: UUIDv7?)? {
    try asking { () throws(StoreFailure) in
      guard let cursorKey, let row = try session.vehicle(vehicle, tenant: tenant), row.id == vehicle else { return nil }
      let selected = try session.selected(selection, of: row, tenant: tenant)
      let newest = try session.newest(
        of: row, among: [.position], within: selected, tenant: tenant, key: cursorKey)
      guard let found = newest.first?.row, found.time != StoredTime.undated else { return nil }
      let record = NewestRecord(
        part: .position, time: found.time, sequence: found.sequence, idHigh: found.id.high, idLow: found.id.low)
      guard let place = LastKnownValue(.place, of: record, body: found.body).place else { return nil }
      let rows = try session.rows(
        "SELECT \(Self.driver(of: "$1", "$2", at: "$3"))",
        [SQLValue(tenant), .text(vehicle), .integer(found.time)])
      return (place, rows.first?.identifier(0))
    }
  }

  /// Returns SQL for the driver to whom a vehicle was assigned at a time.
  private static func driver(of tenant: String, _ vehicle: String, at time: String) -> String {
    """
    (SELECT a.driver_id FROM assignment AS a
      WHERE a.tenant = \(tenant) AND a.vehicle_id = \(vehicle) AND a."from" <= \(time)
        AND (a."to" IS NULL OR a."to" > \(time)) AND a.status <> 'cancelled'
      ORDER BY a."from" DESC LIMIT 1)
    """
  }
}

extension StoredFleet {
  /// Maximum number of vehicles whose columns are set by one transaction of ``finishUpgrade()``.
  private static let completedTogether = 16

  @discardableResult
  public func finishUpgrade() async throws(StorageError) -> Int64 {
    let cursorKey = engine.cursorKey
    let clock = engine.clock
    var completed: Int64 = 0
    while !Task.isCancelled {
      let count = try await engine.write { session throws(StoreFailure) in
        let rows = try session.rows(
          "SELECT key, tenant FROM vehicle WHERE is_incomplete = 1 ORDER BY key LIMIT \(Self.completedTogether)", [])
        let keys = rows.map { Int32(truncatingIfNeeded: $0.integer(0)) }
        guard !keys.isEmpty else { return 0 }
        try session.lock(vehicles: keys)
        let now = try session.rows("SELECT \(clock)", []).first?.integer(0) ?? 0
        for (key, row) in zip(keys, rows) {
          let tenant = Int32(truncatingIfNeeded: row.integer(1))
          try session.setLastKnown(LastKnownColumn.allCases, of: key, tenant: tenant)
          try session.markAllHours(of: key, tenant: tenant, key: cursorKey, at: now)
          try session.run("UPDATE vehicle SET is_incomplete = 0 WHERE key = $1", [SQLValue(key)])
        }
        return keys.count
      }
      if count == 0 { break }
      completed += Int64(count)
    }
    return completed
  }
}
