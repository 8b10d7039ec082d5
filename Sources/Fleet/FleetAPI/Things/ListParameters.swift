import FleetDomain
import Telemetry

/// The query parameters of the list of a kind: filters, ranges, text search, order and page. They are derived from the
/// fields of the kind.
///
/// A field `startTime` of type number, time or day has the parameters `startTimeFrom` and `startTimeTo`. A field
/// `plannedFrom` has the parameters `plannedFrom` and `plannedTo`. A kind with a ``FleetDomain/ListTime`` also has
/// `from` and `to`.
struct ListParameters<Value: Kind>: Sendable {
  /// The contents of a request for a list, after parsing.
  struct Request: Sendable {
    fileprivate var query = ThingQuery<Value>()
    fileprivate var limits: [Limit] = []

    /// Returns the query for the storage. If a limit of a time range is a day, the day begins in the tenant's time
    /// zone.
    ///
    /// - Throws: `storage` with the kind `invalidQuery` (400) if a range begins after its end.
    func query(in view: any FleetView) throws(ThingError) -> ThingQuery<Value> {
      var query = query
      guard !limits.isEmpty else { return query }
      let zone = try view.zone(ofFleet: nil)
      for limit in limits {
        if !limit.isUpper, let upper = limits.first(where: { $0.isUpper && $0.pair == limit.pair }),
          limit.isAfter(upper, in: zone)
        {
          throw .storage(StorageError(.invalidQuery, limit.name, "expected a value not after \(upper.name)"))
        }
        query.conditions.append(limit.condition(in: zone))
      }
      return query
    }
  }

  /// The lower or the upper limit of a range of values.
  fileprivate struct Limit: Sendable {
    enum Bound: Sendable {
      case number(JSON)
      case time(Timestamp)
      case day(CalendarDate)
    }

    /// The name of the query parameter.
    let name: String
    /// The name that both limits of a range have in common.
    let pair: String
    let place: ListTime
    let isUpper: Bool
    let bound: Bound

    /// Returns the value at which the range begins or ends: a number, or the ms since 1970.
    func edge(in zone: ZoneRules) -> Double {
      switch bound {
      case .number(let number): number.numberValue ?? 0
      case .time(let time): Double(time.nanoseconds) / 1_000_000
      case .day(let day): Double(zone.start(of: isUpper ? day.next : day))
      }
    }

    /// Whether the range from this limit to an upper limit begins after its end. If the upper limit is a day, the range
    /// ends at the start of the next day, which is not part of the range.
    func isAfter(_ upper: Limit, in zone: ZoneRules) -> Bool {
      let (start, end) = (edge(in: zone), upper.edge(in: zone))
      if case .day = upper.bound { return start >= end }
      return start > end
    }

    func condition(in zone: ZoneRules) -> ThingQuery<Value>.Condition {
      switch place {
      case .at(let key): return condition(on: key, in: zone)
      case .period(let start, let end):
        if isUpper { return condition(on: start, in: zone) }
        return .anyOf([[.oneOf(key: end, [.null])], [condition(on: end, in: zone)]])
      case .first(let keys):
        var alternatives: [[ThingQuery<Value>.Condition]] = []
        for (index, key) in keys.enumerated() {
          var conditions = keys[..<index].map { ThingQuery<Value>.Condition.oneOf(key: $0, [.null]) }
          conditions.append(condition(on: key, in: zone))
          alternatives.append(conditions)
        }
        return .anyOf(alternatives)
      }
    }

    private func condition(on key: String, in zone: ZoneRules) -> ThingQuery<Value>.Condition {
      switch (bound, ListParameters.isDay(key)) {
      case (.number(let number), _): isUpper ? .atMost(key: key, number) : .atLeast(key: key, number)
      case (.day(let day), true): isUpper ? .atMost(key: key, day.json) : .atLeast(key: key, day.json)
      case (.time(let time), true):
        isUpper ? .atMost(key: key, zone.day(of: time).json) : .atLeast(key: key, zone.day(of: time).json)
      case (.day(let day), false):
        isUpper
          ? .below(key: key, zone.time(0, on: day.next).json) : .atLeast(key: key, zone.time(0, on: day).json)
      case (.time(let time), false): isUpper ? .below(key: key, time.json) : .atLeast(key: key, time.json)
      }
    }
  }

  /// A query parameter that limits a field or the time of the things in the list.
  private struct RangeParameter: Sendable {
    let name: String
    /// The name that both limits of a range have in common.
    let pair: String
    let place: ListTime
    let type: FieldType
    let isUpper: Bool

    var operation: Operation.Parameter {
      let what =
        switch place {
        case .at(let key): "`\(key)`"
        case .period(let start, let end): "the time from `\(start)` to `\(end)`"
        case .first(let keys): keys.map { "`\($0)`" }.joined(separator: ", else ")
        }
      let isNumber = type == .integer || type == .real
      let text =
        isNumber
        ? "a number, \(isUpper ? "at most" : "at least")"
        : "an RFC 3339 time or a day like `2026-05-04`; \(isUpper ? "a time is excluded, a day is included" : "included")"
      return .query(name, "\(isUpper ? "End" : "Start") of the range of \(what): \(text).", #"{"type":"string"}"#)
    }
  }

  private let filters = Value.fields.filter { $0.isFilterable && $0.access != .hidden }
  private let sortable = ["createdAt", "updatedAt"] + Value.fields.filter(\.isSortable).flatMap(\.keys)
  private let hasSearch = Value.fields.contains(where: \.isTextSearched)
  private let ranges = Self.ranges
  private static var longestSearch: Int { 256 }
  /// The maximum number of values by which one parameter filters a list.
  private static var mostValues: Int { 100 }
  /// Whether the kind has ids that people choose. They are a field of the kind, so they have a filter already.
  private static var hasNamedID: Bool { Value.fields.contains { $0.key == "id" } }

  /// The descriptions of the parameters for `openapi.json`.
  var operations: [Operation.Parameter] {
    var parameters: [Operation.Parameter] = filters.flatMap(\.filterNames).map {
      .query($0, "Only these values of `\($0)`, with commas between.", #"{"type":"string"}"#)
    }
    if !Self.hasNamedID {
      parameters.append(
        .query(
          "id", "Only those with these ids, at most \(Self.mostValues) with commas between.", #"{"type":"string"}"#))
    }
    parameters += ranges.map(\.operation)
    if hasSearch { parameters.append(.query("q", "Only those with this text.", #"{"type":"string","maxLength":256}"#)) }
    return parameters + [
      .query(
        "sort", "Fields with commas between, with `-` in front: descending. \(sortable.joined(separator: ", ")).",
        #"{"type":"string"}"#),
      .cursor, .limit(100, most: 1_000),
    ]
  }

  private static var ranges: [RangeParameter] {
    var ranges: [RangeParameter] = []
    func add(_ name: String, _ place: ListTime, _ type: FieldType) {
      ranges.append(RangeParameter(name: name + "From", pair: name, place: place, type: type, isUpper: false))
      ranges.append(RangeParameter(name: name + "To", pair: name, place: place, type: type, isUpper: true))
    }
    if let time = Value.listTime {
      ranges.append(RangeParameter(name: "from", pair: "", place: time, type: .time, isUpper: false))
      ranges.append(RangeParameter(name: "to", pair: "", place: time, type: .time, isUpper: true))
    }
    for key in ["createdAt", "updatedAt"] { add(key, .at(key), .time) }
    for field in Value.fields where field.access != .hidden && (field.type.isOrdered || field.isDay) {
      for key in field.keys {
        add(key.hasSuffix("From") ? String(key.dropLast(4)) : key, .at(field.key), field.isDay ? .time : field.type)
      }
    }
    return ranges
  }

  private static func isDay(_ key: String) -> Bool { Value.fields.first { $0.key == key }?.isDay ?? false }

  /// Parses the parameters of a request for a list.
  ///
  /// - Parameters:
  ///   - hidden: keys of fields that the caller may not see. The list can therefore not be filtered by them.
  ///   - order: the order of the list if the request contains none.
  func request(
    _ call: Call, hidden: Set<String> = [], order: [ThingQuery<Value>.Order]
  ) throws(APIError) -> Request {
    var request = Request()
    for field in filters {
      guard let (name, text) = field.filterNames.lazy.compactMap({ name in call.query[name].map { (name, $0) } }).first
      else { continue }
      guard !hidden.contains(field.key) else { throw Self.hiddenField(name) }
      request.query.conditions.append(.oneOf(key: field.key, try Self.values(text, of: field, name)))
    }
    if !Self.hasNamedID, let text = call.query["id"] {
      request.query.conditions.append(.oneOf(key: "id", try Self.ids(text)))
    }
    for range in ranges {
      guard let text = call.query[range.name] else { continue }
      if range.place.keys.contains(where: hidden.contains) { throw Self.hiddenField(range.name) }
      request.limits.append(
        Limit(
          name: range.name, pair: range.pair, place: range.place, isUpper: range.isUpper,
          bound: try Self.bound(text, of: range, call)))
    }
    request.query.text = hasSearch ? call.query["q"] : nil
    guard request.query.text?.unicodeScalars.count ?? 0 <= Self.longestSearch else {
      throw APIError.badRequest("query: q: expected at most \(Self.longestSearch) characters")
    }
    request.query.order = try Self.order(call.query["sort"], sortable) ?? order
    if let item = request.query.order.first(where: { hidden.contains($0.key) }) { throw Self.hiddenField(item.key) }
    request.query.cursor = try call.cursor()
    request.query.limit = try call.integer("limit", in: 1...1_000) ?? 100
    return request
  }

  private static func hiddenField(_ name: String) -> APIError { .forbidden("\(name): this account may not see it") }

  private static func bound(
    _ text: String, of range: RangeParameter, _ call: Call
  ) throws(APIError) -> Limit.Bound {
    switch range.type {
    case .integer:
      if let number = Int64(text) { return .number(.integer(number)) }
      throw .badRequest("query: \(range.name): expected a whole number, found \(quoted(text))")
    case .real:
      if let number = Double(text), number.isFinite { return .number(.number(number)) }
      throw .badRequest("query: \(range.name): expected a number, found \(quoted(text))")
    default:
      guard let day = CalendarDate(text) else {
        if let time = try call.time(range.name) { return .time(time) }
        throw .badRequest("query: \(range.name): expected a time or a day, found \(quoted(text))")
      }
      guard day.canBeStated else {
        throw .badRequest("query: \(range.name): expected a day from 1679 to 2261, found \(quoted(text))")
      }
      return .day(day)
    }
  }

  /// Parses the values by which a request filters a list.
  ///
  /// - Parameters:
  ///   - text: the values, separated by commas.
  ///   - name: the name of the query parameter, for errors.
  private static func values(_ text: String, of field: Field<Value>, _ name: String) throws(APIError) -> [JSON] {
    var values: [JSON] = []
    for text in try separated(text, name) {
      guard let accepted = field.filterValues(text) else {
        throw .badRequest("query: \(name): \(quoted(text)) is not a value of this field")
      }
      values += accepted
    }
    return values
  }

  /// Parses the ids by which a request filters a list.
  private static func ids(_ text: String) throws(APIError) -> [JSON] {
    var ids: [JSON] = []
    for text in try separated(text, "id") {
      guard let id = UUIDv7(text.utf8.span) else { throw .badRequest("query: id: \(quoted(text)) is not an id") }
      ids.append(id.json)
    }
    return ids
  }

  private static func separated(_ text: String, _ name: String) throws(APIError) -> [String] {
    let texts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard texts.count <= mostValues else {
      throw .badRequest("query: \(name): expected at most \(mostValues) values")
    }
    return texts
  }

  /// Parses the query parameter `sort`, which contains the order of a list.
  ///
  /// - Returns: the order; `nil` if the parameter is absent.
  private static func order(_ text: String?, _ sortable: [String]) throws(APIError) -> [ThingQuery<Value>.Order]? {
    guard let text else { return nil }
    var order: [ThingQuery<Value>.Order] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let key = part.hasPrefix("-") ? String(part.dropFirst()) : String(part)
      guard sortable.contains(key), !order.contains(where: { $0.key == key }) else {
        throw .badRequest(
          "query: sort: expected some of \(sortable.joined(separator: ", ")), each once, found \(quoted(text))")
      }
      let field = Value.fields.first { $0.alias == key }?.key ?? key
      order.append(.init(field, isDescending: part.hasPrefix("-")))
    }
    return order
  }
}
