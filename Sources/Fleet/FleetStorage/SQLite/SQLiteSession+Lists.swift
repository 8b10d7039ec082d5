import FleetDomain
import Telemetry

extension SQLiteSession {
  func lists(_ page: RecordPage, tenant: Int32, vehicle: Int32?) throws(StoreFailure) -> [[FoundRow]] {
    var lists: [[FoundRow]] = []
    for recordClass in page.query.classes {
      if let every = page.query.every, let vehicle {
        lists.append(try newest(page, tenant, vehicle, recordClass, every))
      } else {
        lists.append(try list(page, tenant, vehicle, recordClass))
      }
    }
    return lists
  }

  private func list(
    _ page: RecordPage, _ tenant: Int32, _ vehicle: Int32?, _ recordClass: RecordClass
  ) throws(StoreFailure) -> [FoundRow] {
    let isForward = page.query.order == .oldestFirst
    let bound = RecordBound(page.query, page.cursor, recordClass: recordClass, isFleetWide: vehicle == nil)
    let query = try SQLiteQuery(database, Self.sql(isForward, ofVehicle: vehicle != nil, recordClass))
    query.bind(Int64(tenant), at: 1)
    query.bind(bound.time, at: 2)
    query.bind(high: bound.idHigh, low: bound.idLow, at: 3)
    query.bind(isForward ? RecordBound.end(page.query) : RecordBound.start(page.query), at: 4)
    query.bind(Int64(page.query.limit) + 1, at: 5)
    query.bind(vehicle.map { Int64($0) } ?? bound.vehicle, at: 6)
    query.bind(bound.sequence, at: 7)
    var rows: [FoundRow] = []
    while try query.next() { rows.append(try query.foundRow()) }
    return rows
  }

  /// Returns the SQL statement that reads a list. The class is a literal instead of a parameter, because the index for
  /// lists of all vehicles contains only some classes.
  private static func sql(_ isForward: Bool, ofVehicle: Bool, _ recordClass: RecordClass) -> String {
    let columns = "SELECT \(FoundRow.columns) FROM record WHERE tenant = ?1 AND class = "
    let (from, to, direction) = isForward ? (">=", "<", "ASC") : ("<=", ">=", "DESC")
    let head = columns + "\(recordClass.number)"
    return ofVehicle
      ? head + """
         AND vehicle = ?6 AND (time, seq, id) \(from) (?2, ?7, ?3) AND time \(to) ?4
        ORDER BY time \(direction), seq \(direction), id \(direction) LIMIT ?5
        """
      // State the index's condition explicitly, because SQLite does not deduce that the index with `class <> 0`
      // contains this class.
      : head + " AND class <> 0" + """
         AND (time, seq, id, vehicle) \(from) (?2, ?7, ?3, ?6) AND time \(to) ?4
        ORDER BY time \(direction), seq \(direction), id \(direction), vehicle \(direction) LIMIT ?5
        """
  }

  /// Returns the newest record in each time span of the length `every`. It searches the index for the next span with a
  /// record, then for the last record in that span.
  private func newest(
    _ page: RecordPage, _ tenant: Int32, _ vehicle: Int32, _ recordClass: RecordClass, _ every: Int64
  ) throws(StoreFailure) -> [FoundRow] {
    let first = try SQLiteQuery(
      database,
      """
      SELECT time FROM record WHERE tenant = ?1 AND vehicle = ?2 AND class = ?3 AND time >= ?4 AND time < ?5
      ORDER BY time LIMIT 1
      """)
    let last = try SQLiteQuery(
      database,
      """
      SELECT \(FoundRow.columns) FROM record
      WHERE tenant = ?1 AND vehicle = ?2 AND class = ?3 AND time >= ?4 AND time < ?5
      ORDER BY time DESC, seq DESC, id DESC LIMIT 1
      """)
    let end = RecordBound.end(page.query)
    // Records without a time belong to no span.
    var start = max(page.cursor?.time ?? RecordBound.start(page.query), StoredTime.undated + 1)
    var rows: [FoundRow] = []
    while rows.count <= page.query.limit {
      bind(first, tenant, vehicle, recordClass, start, end)
      guard try first.next() else { break }
      start = first.integer(0)
      first.reset()
      let next = min(RecordPage.spanEnd(start, every), end)
      bind(last, tenant, vehicle, recordClass, start, next)
      if try last.next() { rows.append(try last.foundRow()) }
      last.reset()
      start = next
    }
    return rows
  }

  private func bind(
    _ query: borrowing SQLiteQuery, _ tenant: Int32, _ vehicle: Int32, _ recordClass: RecordClass, _ start: Int64,
    _ end: Int64
  ) {
    query.bind(Int64(tenant), at: 1)
    query.bind(Int64(vehicle), at: 2)
    query.bind(Int64(recordClass.number), at: 3)
    query.bind(start, at: 4)
    query.bind(end, at: 5)
  }
}
