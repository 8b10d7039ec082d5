import FleetDomain
import Telemetry

extension PostgreSQLSession {
  /// Returns one list of records for each partition that may contain records of the query's times. A class rarely has
  /// more than two such partitions.
  func lists(_ page: RecordPage, tenant: Int32, vehicle: Int32?) throws(StoreFailure) -> [[FoundRow]] {
    var lists: [[FoundRow]] = []
    for recordClass in page.query.classes {
      let bound = RecordBound(page.query, page.cursor, recordClass: recordClass, isFleetWide: vehicle == nil)
      let isForward = page.query.order == .oldestFirst
      let least = isForward ? bound.time : RecordBound.start(page.query)
      let most = isForward ? RecordBound.end(page.query) : bound.time
      let all = try partitions(of: recordClass, from: least, through: most)
      var found: [[FoundRow]] = []
      // Read the partitions in the order of the list. Stop when the remaining ones cannot contain records of this page.
      for part in isForward ? all.sorted(by: { $0.limits.least < $1.limits.least }) : all.reversed() {
        if let last = Self.lastTime(found, page), isForward ? part.limits.least > last : part.limits.most < last {
          break
        }
        if let every = page.query.every, let vehicle {
          found.append(try newest(page, tenant, vehicle, part.name.table, every))
        } else {
          found.append(try list(page, tenant, vehicle, part.name.table, bound))
        }
      }
      lists += found
    }
    return lists
  }

  /// Returns the time of the last record on the page if these lists contain enough rows to fill the page; otherwise
  /// `nil`.
  private static func lastTime(_ lists: [[FoundRow]], _ page: RecordPage) -> Int64? {
    // A time span may extend over several partitions, so all partitions must be read.
    guard page.query.every == nil else { return nil }
    let times = lists.flatMap { $0.map(\.time) }
    guard times.count > page.query.limit else { return nil }
    let sorted = times.sorted()
    return page.query.order == .oldestFirst ? sorted[page.query.limit] : sorted[sorted.count - 1 - page.query.limit]
  }

  private func list(
    _ page: RecordPage, _ tenant: Int32, _ vehicle: Int32?, _ table: String, _ bound: RecordBound
  ) throws(StoreFailure) -> [FoundRow] {
    let isForward = page.query.order == .oldestFirst
    let (from, to, direction) = isForward ? (">=", "<", "ASC") : ("<=", ">=", "DESC")
    let of =
      vehicle == nil
      ? """
      (time, seq, id, vehicle) \(from) ($2, $7, $3, $6) AND time \(to) $4
      ORDER BY time \(direction), seq \(direction), id \(direction), vehicle \(direction)
      """
      : """
      vehicle = $6 AND (time, seq, id) \(from) ($2, $7, $3) AND time \(to) $4
      ORDER BY time \(direction), seq \(direction), id \(direction)
      """
    var parameters = PostgreSQLParameters([SQLValue(tenant), .integer(bound.time)])
    parameters.add(high: bound.idHigh, low: bound.idLow)
    parameters.add(.integer(isForward ? RecordBound.end(page.query) : RecordBound.start(page.query)))
    parameters.add(.integer(Int64(page.query.limit) + 1))
    parameters.add(.integer(vehicle.map { Int64($0) } ?? bound.vehicle))
    parameters.add(.integer(bound.sequence))
    return try connection.query(
      "SELECT \(FoundRow.columns) FROM \(table) WHERE tenant = $1 AND \(of) LIMIT $5", parameters
    ).foundRows()
  }

  /// Returns the newest record in each time span of the length `every`. The statement searches the index for the next
  /// span with a record, then for the last record in that span.
  private func newest(
    _ page: RecordPage, _ tenant: Int32, _ vehicle: Int32, _ table: String, _ every: Int64
  ) throws(StoreFailure) -> [FoundRow] {
    // Records without a time belong to no span.
    let start = max(page.cursor?.time ?? RecordBound.start(page.query), StoredTime.undated + 1)
    let next = "least(time - (time % $5 + $5) % $5 + $5, $4)"
    return try connection.query(
      """
      WITH RECURSIVE span (number, first, next) AS (
        (SELECT 1, time, \(next) FROM \(table)
          WHERE tenant = $1 AND vehicle = $2 AND time >= $3 AND time < $4 ORDER BY time LIMIT 1)
        UNION ALL
        SELECT s.number + 1, f.time, f.next FROM span AS s CROSS JOIN LATERAL (
          SELECT time, \(next) AS next FROM \(table)
          WHERE tenant = $1 AND vehicle = $2 AND time >= s.next AND time < $4 ORDER BY time LIMIT 1) AS f
        WHERE s.number <= $6
      )
      SELECT l.* FROM span AS s CROSS JOIN LATERAL (
        SELECT \(FoundRow.columns) FROM \(table)
        WHERE tenant = $1 AND vehicle = $2 AND time >= s.first AND time < s.next
        ORDER BY time DESC, seq DESC, id DESC LIMIT 1) AS l
      ORDER BY s.number
      """,
      PostgreSQLParameters([
        SQLValue(tenant), SQLValue(vehicle), .integer(start), .integer(RecordBound.end(page.query)), .integer(every),
        .integer(Int64(page.query.limit)),
      ])
    ).foundRows()
  }
}
