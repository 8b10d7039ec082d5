import FleetDomain
import Telemetry

/// Checks a query for records and makes a page of the resulting rows, in the same way for both databases.
struct RecordPage {
  let query: RecordQuery
  private(set) var cursor: PageCursor?
  private let scope: [UInt8]
  private let key: CursorKey

  /// - Parameters:
  ///   - vehicle: row of the vehicle; `nil` for all vehicles.
  ///   - key: the key of the store's cursors.
  init(_ query: RecordQuery, tenant: Int32, vehicle: Int32?, key: CursorKey) throws(StoreFailure) {
    func refuse(_ detail: String) -> StoreFailure { StoreFailure(.invalidQuery, "records", detail) }
    guard (1...RecordQuery.maximumLimit).contains(query.limit) else {
      throw refuse("limit: expected 1 to \(RecordQuery.maximumLimit), found \(query.limit)")
    }
    if query.vehicle == nil, query.classes.contains(.known(.telemetry)) {
      throw refuse("telemetry of all vehicles: ask for one vehicle")
    }
    if let every = query.every {
      guard (1...RecordQuery.maximumSpan).contains(every) else {
        throw refuse("every: expected 1 to \(RecordQuery.maximumSpan) ms, found \(every)")
      }
      guard query.vehicle != nil, query.classes.count == 1, query.order == .oldestFirst else {
        throw refuse("every: expected one vehicle, one type, oldest first")
      }
    }
    self.query = query
    self.key = key
    scope = Self.scope(query, tenant, vehicle)
    if let text = query.cursor {
      guard let cursor = PageCursor(text, scope: scope, key: key) else {
        throw StoreFailure(.invalidCursor, "cursor", "not valid for this query; repeat the query without it")
      }
      self.cursor = cursor
    } else {
      cursor = nil
    }
  }

  /// Reads the `seq` that a cursor of an earlier version lacks.
  mutating func complete(_ session: some StoreSession, tenant: Int32) throws(StoreFailure) {
    guard let cursor, cursor.sequence == nil, query.every == nil else { return }
    let key = RowKey(
      tenant: tenant, vehicle: cursor.vehicle, recordClass: cursor.recordClass, idHigh: cursor.idHigh,
      idLow: cursor.idLow)
    self.cursor?.sequence = try session.foundAll([key]).first?.sequence
  }

  /// - Parameter rows: lists in the order of the query. A list has one row more than the limit if there are more.
  /// - Returns: the rows of the page, and the cursor after them.
  func page(_ lists: [[FoundRow]]) -> (rows: [FoundRow], next: String?) {
    var rows = lists.count == 1 ? lists[0] : lists.flatMap { $0 }
    let isForward = query.order == .oldestFirst
    if lists.count > 1 {
      rows.sort { isForward ? FoundRow.isBefore($0, $1) : FoundRow.isBefore($1, $0) }
      if let every = query.every { rows = Self.newest(rows, every) }
    }
    guard rows.count > query.limit else { return (rows, nil) }
    rows.removeLast(rows.count - query.limit)
    return (rows, rows.last.map { text(behind: $0) })
  }

  private func text(behind row: FoundRow) -> String {
    guard let every = query.every else { return row.cursor.text(scope: scope, key: key) }
    return PageCursor(time: Self.spanEnd(row.time, every)).text(scope: scope, key: key)
  }

  /// Returns the start of the time span after the one that contains a time.
  static func spanEnd(_ time: Int64, _ every: Int64) -> Int64 {
    let rest = time % every
    let (end, overflow) = (time - (rest < 0 ? rest + every : rest)).addingReportingOverflow(every)
    return overflow ? .max : end
  }

  /// Returns the last row of each time span; the rows must be in ascending order.
  private static func newest(_ rows: [FoundRow], _ every: Int64) -> [FoundRow] {
    rows.indices.filter { index in
      index + 1 == rows.count || spanEnd(rows[index].time, every) != spanEnd(rows[index + 1].time, every)
    }.map { rows[$0] }
  }

  static func scope(_ query: RecordQuery, _ tenant: Int32, _ vehicle: Int32?) -> [UInt8] {
    var scope: [UInt8] = Array("records".utf8)
    func add(_ number: Int64?) {
      scope.append(number == nil ? 0 : 1)
      for shift in 0..<8 { scope.append(UInt8(truncatingIfNeeded: (number ?? 0) >> (8 * Int64(shift)))) }
    }
    add(Int64(tenant))
    add(vehicle.map(Int64.init))
    add(query.from?.nanoseconds)
    add(query.to?.nanoseconds)
    add(query.every)
    add(Int64(query.order.rawValue))
    for recordClass in query.classes { add(Int64(recordClass.number)) }
    return scope
  }
}
