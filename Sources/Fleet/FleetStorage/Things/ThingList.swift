import FleetDomain
import Telemetry

/// An SQL statement for a ``FleetDomain/ThingQuery``. Both databases support the statement.
struct ThingList<Value: Kind> {
  private let query: ThingQuery<Value>
  private let scope: [UInt8]
  /// The key of the store's cursors; `nil` for a list that is not divided into pages.
  private let key: CursorKey?
  private(set) var sql = ""
  private(set) var values: [SQLValue] = []

  /// Creates the statement for a page of things.
  ///
  /// - Parameter spare: the number of additional rows to read. If it is 0, the statement reads one row more than the
  ///   limit of the query.
  /// - Throws: `invalidQuery`; `invalidCursor`.
  init(_ query: ThingQuery<Value>, tenant: Int32, key: CursorKey, spare: Int = 0) throws(StoreFailure) {
    guard (1...1_000).contains(query.limit) else {
      throw StoreFailure(.invalidQuery, Value.names.many, "limit: expected 1 to 1000, found \(query.limit)")
    }
    self.init(query, tenant, key)
    var conditions = try conditions(tenant)
    if let cursor = query.cursor { conditions.append(try text(after: cursor)) }
    let order = try order()
    sql = """
      SELECT \(ThingTable<Value>.columns) FROM \(Value.names.table) WHERE \(conditions.joined(separator: " AND "))
      ORDER BY \(order.joined(separator: ", ")) LIMIT \(bind(.integer(Int64(query.limit + 1 + spare))))
      """
  }

  /// Creates the statement that reads some fields of all things that match a query.
  ///
  /// - Throws: `invalidQuery`.
  init(_ query: ThingQuery<Value>, fields: [Field<Value>], tenant: Int32) throws(StoreFailure) {
    self.init(query, tenant, nil)
    let (conditions, order) = (try conditions(tenant), try order())
    sql = """
      SELECT \(fields.map(ThingTable<Value>.column).joined(separator: ", ")) FROM \(Value.names.table)
      WHERE \(conditions.joined(separator: " AND ")) ORDER BY \(order.joined(separator: ", "))
      """
  }

  /// Creates the statement that counts the things that match a query.
  ///
  /// - Throws: `invalidQuery`.
  init(counting query: ThingQuery<Value>, tenant: Int32) throws(StoreFailure) {
    self.init(query, tenant, nil)
    let conditions = try conditions(tenant)
    sql = "SELECT count(*) FROM \(Value.names.table) WHERE \(conditions.joined(separator: " AND "))"
  }

  /// Creates the statement that finds the tenants with at least one thing that satisfies all conditions.
  ///
  /// - Throws: `invalidQuery`.
  init(tenantsHaving conditions: [ThingQuery<Value>.Condition]) throws(StoreFailure) {
    var query = ThingQuery<Value>()
    query.conditions = conditions
    (self.query, key, scope) = (query, nil, [])
    var texts = ["\(Value.names.table).tenant = tenant.key"]
    if let condition = Value.names.condition { texts.append(condition) }
    for condition in conditions {
      if case .vehicleInFleets = condition {
        throw StoreFailure(.invalidQuery, Value.names.many, "fleets: expected a tenant")
      }
      texts.append(try text(condition))
    }
    sql = """
      SELECT id FROM tenant WHERE EXISTS (
        SELECT 1 FROM \(Value.names.table) WHERE \(texts.joined(separator: " AND "))) ORDER BY id
      """
  }

  private init(_ query: ThingQuery<Value>, _ tenant: Int32, _ key: CursorKey?) {
    self.query = query
    self.key = key
    scope = Array("\(query.scope) \(tenant)".utf8)
  }

  private mutating func conditions(_ tenant: Int32) throws(StoreFailure) -> [String] {
    var conditions = ["tenant = \(bind(SQLValue(tenant)))"]
    if let condition = Value.names.condition { conditions.append(condition) }
    for condition in query.conditions { conditions.append(try text(condition)) }
    if let text = query.text, !text.isEmpty {
      guard ThingTable<Value>.hasSearch else {
        throw StoreFailure(.invalidQuery, Value.names.many, "q: these have no text that is searched")
      }
      guard !text.utf8.contains(0) else {
        throw StoreFailure(.invalidQuery, Value.names.many, "q: a text with the character U+0000")
      }
      for word in text.lowercased().split(separator: " ").prefix(8) {
        let pattern = word.reduce(into: "") { pattern, character in
          if character == "%" || character == "_" || character == "\\" { pattern += "\\" }
          pattern.append(character)
        }
        conditions.append("search LIKE \(bind(.text("%\(pattern)%"))) ESCAPE '\\'")
      }
    }
    return conditions
  }

  private func order() throws(StoreFailure) -> [String] {
    var order: [String] = []
    for item in query.order {
      let column = try place(item.key).column
      // An index of the column has this order only if the statement does not sort by another expression first.
      let nullsLast = Self.isAlwaysSet(item.key) ? "" : "(\(column) IS NULL), "
      order.append("\(nullsLast)\(column)\(item.isDescending ? " DESC" : "")")
    }
    return order + [Value.names.idColumn]
  }

  /// Whether all things of the kind have a value for a key.
  private static func isAlwaysSet(_ key: String) -> Bool {
    guard let field = Value.fields.first(where: { $0.key == key }) else { return true }
    return !field.isOptional && (field.isRequired || field.isFilledIn)
  }

  /// Returns the page that contains these things.
  ///
  /// - Parameter items: the things that were read: one more than the limit if the list continues after the page.
  func page(_ items: [Stored<Value>]) -> Page<Stored<Value>> {
    guard items.count > query.limit, let key, let last = items.prefix(query.limit).last else {
      return Page(items: items, next: nil)
    }
    let place = JSON.array(query.order.map { Self.json(last, $0.key) } + [last.id.json])
    return Page(
      items: Array(items.prefix(query.limit)),
      next: PageCursor.text(after: place.canonicalText, scope: scope, key: key))
  }

  private static func json(_ stored: Stored<Value>, _ key: String) -> JSON {
    if let field = Value.fields.first(where: { $0.key == key }) { return field.json(stored.value) }
    return switch key {
    case "id": stored.id.json
    case "createdAt": stored.createdAt.json
    case "updatedAt": stored.updatedAt.json
    default: .null
    }
  }

  private mutating func bind(_ value: SQLValue) -> String {
    values.append(value)
    return "$\(values.count)"
  }

  private mutating func bind(_ json: JSON, _ type: FieldType, _ key: String) throws(StoreFailure) -> String {
    bind(try ThingTable<Value>.sqlValue(json, type, key))
  }

  private func place(_ key: String) throws(StoreFailure) -> (column: String, type: FieldType) {
    guard let place = ThingTable<Value>.place(of: key) else {
      throw StoreFailure(.invalidQuery, Value.names.many, "no field \(key)")
    }
    return place
  }

  private mutating func text(_ condition: ThingQuery<Value>.Condition) throws(StoreFailure) -> String {
    switch condition {
    case .oneOf(let key, let values):
      let (column, type) = try place(key)
      var parts: [String] = []
      if values.contains(.null) { parts.append("\(column) IS NULL") }
      var parameters: [String] = []
      for value in values where value != .null { parameters.append(try bind(value, type, key)) }
      if !parameters.isEmpty { parts.append("\(column) IN (\(parameters.joined(separator: ", ")))") }
      return parts.isEmpty ? "1 = 0" : "(\(parts.joined(separator: " OR ")))"
    case .constant(let key, let value): return "\(try place(key).column) = '\(value.text)'"
    case .atLeast(let key, let value):
      let (column, type) = try place(key)
      return "\(column) >= \(try bind(value, type, key))"
    case .atMost(let key, let value):
      let (column, type) = try place(key)
      return "\(column) <= \(try bind(value, type, key))"
    case .below(let key, let value):
      let (column, type) = try place(key)
      return "\(column) < \(try bind(value, type, key))"
    case .isSet(let key): return "\(try place(key).column) IS NOT NULL"
    case .contains(let key, let texts):
      let column = try place(key).column
      let parts = texts.map { "\(column) LIKE \(bind(.text("%\($0)%")))" }
      return parts.isEmpty ? "1 = 0" : "(\(parts.joined(separator: " OR ")))"
    case .vehicleInFleets(let key, let fleets):
      guard !fleets.isEmpty else { return "1 = 0" }
      let parameters = fleets.map { bind(.identifier($0)) }.joined(separator: ", ")
      return """
        \(try place(key).column) IN (SELECT id FROM vehicle WHERE tenant = $1 AND fleet_id IN (\(parameters)))
        """
    case .anyOf(let lists):
      var alternatives: [String] = []
      for list in lists {
        var parts: [String] = []
        for condition in list { parts.append(try text(condition)) }
        alternatives.append(parts.isEmpty ? "1 = 1" : "(\(parts.joined(separator: " AND ")))")
      }
      return alternatives.isEmpty ? "1 = 0" : "(\(alternatives.joined(separator: " OR ")))"
    }
  }

  /// Returns the condition for things that follow a cursor. A thing is compared with the last thing of the previous
  /// page: first in the fields by which the list is sorted, and then in the ID. In the first field in which the two
  /// differ, the thing's value must be greater, or less if the order is descending.
  private mutating func text(after cursor: String) throws(StoreFailure) -> String {
    guard let key, let text = PageCursor.last(of: cursor, scope: scope, key: key),
      case .array(let place)? = try? JSON(parsing: Array(text.utf8)), place.count == query.order.count + 1
    else { throw StoreFailure(.invalidCursor, "cursor", "not valid for this query; repeat the query without it") }
    var alternatives: [String] = []
    var equal: [String] = []
    for (item, value) in zip(query.order, place) {
      let (column, type) = try self.place(item.key)
      if value == .null {
        // The last thing of the previous page has no value in this field. Things without a value come last, so all
        // following things have no value either.
        equal.append("\(column) IS NULL")
        continue
      }
      let parameter = try bind(value, type, item.key)
      let behind = "(\(column) \(item.isDescending ? "<" : ">") \(parameter) OR \(column) IS NULL)"
      alternatives.append((equal + [behind]).joined(separator: " AND "))
      equal.append("\(column) = \(parameter)")
    }
    let id = try bind(place[query.order.count], .identifier, "id")
    alternatives.append((equal + ["\(Value.names.idColumn) > \(id)"]).joined(separator: " AND "))
    return "(\(alternatives.map { "(\($0))" }.joined(separator: " OR ")))"
  }
}
