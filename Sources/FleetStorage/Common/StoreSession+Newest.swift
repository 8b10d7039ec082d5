import FleetDomain
import Telemetry

/// The newest of a vehicle, where that which was it has moved back in time.
extension StoreSession {
  /// Sets the newest time and position of vehicles right. After ``touch(_:)``, which has locked their rows: others wait
  /// until the commit, and then add theirs.
  func settle(_ moved: [Int32: MovedBack]) throws(StoreFailure) {
    for (vehicle, moved) in moved.sorted(by: { $0.key < $1.key }) {
      let found = try rows(
        "SELECT last_time, position_id FROM vehicle WHERE key = $1" + lockingRows, [SQLValue(vehicle)])
      guard let row = found.first else { continue }
      if moved.time >= row.optionalInteger(0) ?? StoredTime.undated {
        try run(
          "UPDATE vehicle SET last_time = $2 WHERE key = $1",
          [SQLValue(vehicle), .integer(try lastTime(of: vehicle, tenant: moved.tenant))])
      }
      if let id = row.identifier(1), moved.ids.contains(id),
        let newest = try position(of: vehicle, tenant: moved.tenant, known: id)
      {
        try run(
          "UPDATE vehicle SET position_time = $2, position_id = $3 WHERE key = $1",
          [SQLValue(vehicle), .integer(newest.time), .identifier(newest.id)])
      }
    }
  }

  private func lastTime(of vehicle: Int32, tenant: Int32) throws(StoreFailure) -> Int64 {
    var last = StoredTime.undated
    for recordClass in RecordClass.allCases {
      let newest = try rows(
        "SELECT time FROM record WHERE tenant = $1 AND vehicle = $2 AND class = $3 ORDER BY time DESC LIMIT 1",
        [SQLValue(tenant), SQLValue(vehicle), .integer(Int64(recordClass.number))])
      last = max(last, newest.first?.integer(0) ?? last)
    }
    return last
  }

  /// The newest telemetry with a position. Rows do not say whether they have one: bodies are read, the newest first, but
  /// no more than 10,000; behind them the position that is known stays.
  private func position(
    of vehicle: Int32, tenant: Int32, known: UUIDv7
  ) throws(StoreFailure) -> (time: Int64, id: UUIDv7)? {
    let place = [SQLValue(tenant), SQLValue(vehicle), .integer(Int64(RecordClass.known(.telemetry).number))]
    let head = "SELECT time, id, body FROM record WHERE tenant = $1 AND vehicle = $2 AND class = $3"
    var behind: [SQLValue] = []
    for _ in 0..<100 {
      let page = try rows(
        head + (behind.isEmpty ? "" : " AND (time, id) < ($4, $5)") + " ORDER BY time DESC, id DESC LIMIT 100",
        place + behind)
      for row in page {
        if let id = row.identifier(1), Self.hasPosition(row.bytes(2)) { return (row.integer(0), id) }
      }
      guard let last = page.last, let id = last.identifier(1) else { break }
      behind = [last.values[0], .identifier(id)]
    }
    return try rows(head + " AND id = $4", place + [.identifier(known)]).first.map { ($0.integer(0), known) }
  }

  private static func hasPosition(_ body: [UInt8]) -> Bool {
    do throws(RecordRefusal) {
      return try IncomingRecord(parsing: body.span).hasPosition
    } catch {
      // What an earlier version took in and this one would not: it is there, but its position cannot be shown.
      return false
    }
  }
}
