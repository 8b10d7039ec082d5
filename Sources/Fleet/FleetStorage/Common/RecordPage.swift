import FleetDomain
import Telemetry

/// A checked query for records. It makes the page from the rows that a database returns, in the same way for both
/// databases.
struct RecordPage {
  private(set) var query: RecordQuery
  private(set) var cursor: PageCursor?
  private let scope: [UInt8]
  private let key: CursorKey

  /// Checks a query.
  ///
  /// - Parameters:
  ///   - vehicle: the key of the query's vehicle; `nil` for all vehicles.
  ///   - key: the key of the store's cursors.
  init(_ query: RecordQuery, tenant: Int32, vehicle: Int32?, key: CursorKey) throws(StoreFailure) {
    func refuse(_ detail: String) -> StoreFailure { StoreFailure(.invalidQuery, "records", detail) }
    guard (1...RecordQuery.maximumLimit).contains(query.limit) else {
      throw refuse("limit: expected 1 to \(RecordQuery.maximumLimit), found \(query.limit)")
    }
    if query.vehicle == nil, query.gateway == nil, query.classes.contains(.known(.telemetry)) {
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

  /// If the cursor is from an earlier version, which did not store `seq`, reads the `seq` of the cursor's record from
  /// the database.
  mutating func complete(_ session: some StoreSession, tenant: Int32) throws(StoreFailure) {
    guard let cursor, cursor.sequence == nil, query.every == nil else { return }
    let key = RowKey(
      tenant: tenant, vehicle: cursor.vehicle, recordClass: cursor.recordClass, idHigh: cursor.idHigh,
      idLow: cursor.idLow)
    self.cursor?.sequence = try session.foundAll([key]).first?.sequence
  }

  /// Makes the page from the rows of several lists.
  ///
  /// - Parameters:
  ///   - lists: lists of rows in the order of the query. A list that continues after the page has one row more than the
  ///     limit.
  ///   - boundary: the time up to which all records were read (``boundary(at:)``); `nil` if the lists are complete.
  /// - Returns: the rows of the page, and the cursor after them; `nil` for the cursor if no page follows.
  func page(_ lists: [[FoundRow]], completeTo boundary: Int64? = nil) -> (rows: [FoundRow], next: String?) {
    var rows = merged(lists)
    if let boundary { rows = Array(rows.prefix { isForward ? $0.time < boundary : $0.time >= boundary }) }
    guard rows.count > query.limit else { return (rows, boundary.map { text(at: $0) }) }
    rows.removeLast(rows.count - query.limit)
    return (rows, rows.last.map { text(behind: $0) })
  }

  /// Merges several lists into one, in the order of the query.
  func merged(_ lists: [[FoundRow]]) -> [FoundRow] {
    let filled = lists.filter { !$0.isEmpty }
    guard filled.count > 1 else { return filled.first ?? [] }
    var rows = filled.flatMap { $0 }
    rows.sort { isForward ? FoundRow.isBefore($0, $1) : FoundRow.isBefore($1, $0) }
    return query.every.map { Self.newest(rows, $0) } ?? rows
  }

  // MARK: Parts of a page

  private var isForward: Bool { query.order == .oldestFirst }

  /// A part of a query: the records of one vehicle in a time range.
  struct Part {
    var page: RecordPage
    /// The time at which reading begins: the start of the range if the query reads the oldest record first, otherwise
    /// the end.
    var edge: Int64

    /// Returns the part without the record classes in ``FleetDomain/Attribution/ownClasses``; `nil` if no class
    /// remains.
    func withoutOwnRecords() -> Part? {
      var part = self
      part.page.query.classes.removeAll(where: Attribution.ownClasses.contains)
      return part.page.query.classes.isEmpty ? nil : part
    }
  }

  /// Returns the part of the query that selects a vehicle's records in a time range; `nil` if the query selects no time
  /// of this range.
  ///
  /// - Parameter range: the time range, ms since 1970. Records without a time have the lowest number.
  func part(of vehicle: Int32, in range: Range<Int64>) -> Part? {
    let (first, end) = (
      max(range.lowerBound, RecordBound.start(query)), min(range.upperBound, RecordBound.end(query))
    )
    guard first < end else { return nil }
    var part = self
    part.query.from = first == .min ? nil : StoredTime.timestamp(first)
    part.query.to = end == .max ? nil : StoredTime.timestamp(end)
    if let cursor {
      if isForward ? cursor.time >= end : cursor.time < first { return nil }
      if isForward ? cursor.time < first : cursor.time >= end {
        part.cursor = nil
      } else if query.every == nil, cursor.vehicle != vehicle {
        // If a record has the same time, `seq` and ID as the cursor, its vehicle decides whether it follows the cursor.
        // The bound for one vehicle contains no vehicle. Therefore, set the bound's class so that the record is read if
        // it follows, and is not read otherwise.
        let follows = (vehicle > cursor.vehicle) == isForward
        part.cursor?.recordClass = follows == isForward ? .min : .max
      }
    }
    return Part(page: part, edge: isForward ? first : end)
  }

  /// Returns the same query with another limit and another cursor, after which the page begins.
  func step(after cursor: PageCursor?, limit: Int) -> RecordPage {
    var step = self
    step.cursor = cursor
    step.query.limit = limit
    return step
  }

  /// The query reads the time range in parts. Returns whether the part that ends at `edge` is read before the part that
  /// ends at `other`.
  func isBefore(_ edge: Int64, _ other: Int64) -> Bool { isForward ? edge < other : edge > other }

  /// Returns the time at which a page can end if all records up to the time `edge` were read. If the query reads the
  /// oldest record first, the page contains only records before the returned time. Otherwise, it contains only records
  /// at the returned time and later.
  func boundary(at edge: Int64) -> Int64 {
    guard let every = query.every, edge != .min else { return edge }
    // The page cannot end within a time span, because the newest record of the span may not have been read.
    let end = Self.spanEnd(edge, every)
    let (start, overflow) = end.subtractingReportingOverflow(every)
    return end == .max ? edge : overflow ? .min : start
  }

  /// Whether `row` may be on the page after the query has read all records up to the time `boundary`. It may if the
  /// query has read all records that precede the row on the page.
  func isComplete(_ row: FoundRow, at boundary: Int64) -> Bool {
    isForward ? row.time < boundary : row.time >= boundary
  }

  /// Whether this page may end at `boundary`: the next page must begin at another time than this page. Otherwise, a
  /// client would receive the same page again and again.
  func isProgress(_ boundary: Int64) -> Bool {
    if isForward { return boundary > max(cursor?.time ?? .min, RecordBound.start(query)) }
    let end = RecordBound.end(query)
    return boundary <= min(cursor?.time ?? .max, end == .max ? end : end - 1)
  }

  /// Returns the cursor for a page that ends at a boundary.
  private func text(at boundary: Int64) -> String {
    let cursor =
      if query.every != nil {
        PageCursor(time: boundary)
      } else if isForward {
        PageCursor(time: boundary, recordClass: .min)
      } else {
        PageCursor(
          time: boundary - 1, sequence: .max, idHigh: .max, idLow: .max, vehicle: .max, recordClass: .max)
      }
    return cursor.text(scope: scope, key: key)
  }

  private func text(behind row: FoundRow) -> String {
    guard let every = query.every else { return row.cursor.text(scope: scope, key: key) }
    return PageCursor(time: Self.spanEnd(row.time, every)).text(scope: scope, key: key)
  }

  /// Returns the end of the time span, of the length `every`, that contains `time`. It is also the start of the next
  /// span.
  static func spanEnd(_ time: Int64, _ every: Int64) -> Int64 {
    let rest = time % every
    // The start of the first span cannot be represented.
    let (end, overflow) = time.addingReportingOverflow(every - (rest < 0 ? rest + every : rest))
    return overflow ? .max : end
  }

  /// Returns the last row in each time span of the length `every`. The rows must be in ascending order.
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
