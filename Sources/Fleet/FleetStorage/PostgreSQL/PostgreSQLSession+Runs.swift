import FleetDomain
import Telemetry

/// Operations on the table of runs. Each uses one statement for many vehicles, because separate statements would each
/// need a round trip to the server. Other operations use SQL that both databases support.
extension PostgreSQLSession {
  /// Locks the rows of vehicles in the order of their keys, which prevents deadlocks.
  func lock(vehicles: [Int32]) throws(StoreFailure) {
    var parameters = PostgreSQLParameters()
    parameters.add(array: vehicles, of: PostgreSQLType.int4, arrayType: PostgreSQLType.int4Array) {
      $1.append(bigEndian: $0)
    }
    let locked = try connection.query(
      "SELECT key FROM vehicle WHERE key = ANY ($1) ORDER BY key FOR NO KEY UPDATE", parameters
    ).count
    guard locked == Set(vehicles).count else {
      throw StoreFailure(.unavailable, "vehicle", "removed meanwhile", mayRetry: true)
    }
  }

  func nextRuns(_ ranges: [RunRange]) throws(StoreFailure) -> [RunSpan?] { try neighbours(ranges, ">=", "ASC") }

  func previousRuns(_ ranges: [RunRange]) throws(StoreFailure) -> [RunSpan?] { try neighbours(ranges, "<", "DESC") }

  private func neighbours(
    _ ranges: [RunRange], _ comparison: String, _ direction: String
  ) throws(StoreFailure) -> [RunSpan?] {
    var spans: [RunSpan?] = Array(repeating: nil, count: ranges.count)
    if ranges.isEmpty { return spans }
    let result = try connection.query(
      """
      SELECT k.number, r.first_id, r.last_id, r.first_time, r.last_time
      FROM unnest($1, $2, $3) WITH ORDINALITY AS k (tenant, vehicle, id, number)
      CROSS JOIN LATERAL (
        SELECT first_id, last_id, first_time, last_time FROM telemetry_run
        WHERE tenant = k.tenant AND vehicle = k.vehicle AND last_id \(comparison) k.id
        ORDER BY last_id \(direction) LIMIT 1) AS r
      """, Self.parameters(ranges.map { ($0.tenant, $0.vehicle, [$0.first]) }, ids: 1))
    for row in 0..<result.count {
      let number = Int(result.integer(row, 0)) - 1
      guard let first = result.identifier(row, 1), let last = result.identifier(row, 2) else {
        throw TelemetryRun.damaged("a run without its ids")
      }
      spans[number] = RunSpan(
        tenant: ranges[number].tenant, vehicle: ranges[number].vehicle, firstId: first, lastId: last,
        firstTime: result.integer(row, 3), lastTime: result.integer(row, 4))
    }
    return spans
  }

  func haveRows(_ ranges: [RunRange]) throws(StoreFailure) -> [Bool] {
    var have = Array(repeating: false, count: ranges.count)
    if ranges.isEmpty { return have }
    let result = try connection.query(
      """
      SELECT k.number FROM unnest($1, $2, $3, $4) WITH ORDINALITY AS k (tenant, vehicle, first, last, number)
      CROSS JOIN LATERAL (
        SELECT 1 FROM record_telemetry
        WHERE tenant = k.tenant AND vehicle = k.vehicle AND id >= k.first AND id <= k.last LIMIT 1) AS r
      """, Self.parameters(ranges.map { ($0.tenant, $0.vehicle, [$0.first, $0.last]) }, ids: 2))
    for row in 0..<result.count { have[Int(result.integer(row, 0)) - 1] = true }
    return have
  }

  func insert(_ runs: [NewRun]) throws(StoreFailure) {
    var parameters = Self.parameters(
      runs.map { ($0.span.tenant, $0.span.vehicle, [$0.span.lastId, $0.span.firstId]) }, ids: 2)
    for time in [runs.map(\.span.lastTime), runs.map(\.span.firstTime)] {
      parameters.add(array: time, of: PostgreSQLType.int8, arrayType: PostgreSQLType.int8Array) {
        $1.append(bigEndian: $0)
      }
    }
    for number in [runs.map(\.month), runs.map(\.count)] {
      parameters.add(array: number, of: PostgreSQLType.int2, arrayType: PostgreSQLType.int2Array) {
        $1.append(bigEndian: Int16(truncatingIfNeeded: $0))
      }
    }
    for bytes in [runs.map(\.entries), runs.map(\.packedBodies)] {
      parameters.add(array: bytes, of: PostgreSQLType.bytea, arrayType: PostgreSQLType.byteaArray) {
        $1.append(contentsOf: $0)
      }
    }
    _ = try connection.query(
      """
      INSERT INTO telemetry_run (tenant, vehicle, last_id, first_id, last_time, first_time, month, count, entries, bodies)
      SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
      """, parameters
    ).changed
    for run in runs { recordBytes.add(run.bytes, tenant: run.span.tenant) }
  }

  func runs(at spans: [RunSpan], withBodies: Bool) throws(StoreFailure) -> [RunSpan: TelemetryRun] {
    if spans.isEmpty { return [:] }
    let result = try connection.query(
      """
      SELECT k.number, r.entries\(withBodies ? ", r.bodies" : "")
      FROM unnest($1, $2, $3) WITH ORDINALITY AS k (tenant, vehicle, id, number)
      JOIN telemetry_run AS r ON r.tenant = k.tenant AND r.vehicle = k.vehicle AND r.last_id = k.id
      """, Self.parameters(spans.map { ($0.tenant, $0.vehicle, [$0.lastId]) }, ids: 1))
    var runs: [RunSpan: TelemetryRun] = [:]
    for row in 0..<result.count {
      let span = spans[Int(result.integer(row, 0)) - 1]
      runs[span] = TelemetryRun(
        span: span, entries: try RunEntryCoding.entries(result.bytes(row, 1)),
        packedBodies: withBodies ? result.bytes(row, 2) : [])
    }
    return runs
  }

  /// Returns the tenants, vehicles and IDs of items as parameters of a statement.
  private static func parameters(
    _ items: [(tenant: Int32, vehicle: Int32, ids: [UUIDv7])], ids: Int
  ) -> PostgreSQLParameters {
    var parameters = PostgreSQLParameters()
    for number in [items.map(\.tenant), items.map(\.vehicle)] {
      parameters.add(array: number, of: PostgreSQLType.int4, arrayType: PostgreSQLType.int4Array) {
        $1.append(bigEndian: $0)
      }
    }
    for index in 0..<ids {
      parameters.add(array: items, of: PostgreSQLType.uuid, arrayType: PostgreSQLType.uuidArray) {
        $1.append(bigEndian: $0.ids[index].high)
        $1.append(bigEndian: $0.ids[index].low)
      }
    }
    return parameters
  }
}
