import FleetAccess
import FleetDomain
import HTTPTypes
import Telemetry

/// The routes that every kind of thing has: list, read, create, create once, change.
///
///     ThingRoutes<Person>(storage: storage, area: .people, relation: { … }, …).routes
///
/// Commands of a kind (`POST /api/people/{id}/deactivate`) are routes beside these; ``command(_:_:_:)`` makes them.
struct ThingRoutes<Value: Kind>: Sendable {
  let storage: any FleetStorage
  let area: Area
  /// How a thing is related to a caller.
  let relation: @Sendable (Stored<Value>, Identity) -> Relation
  /// What a list is restricted to if the caller's reach is not everything; `nil`: the caller sees nothing.
  let restriction: @Sendable (Reach, Identity) -> [ThingQuery<Value>.Condition]?
  /// Checks the rules beyond those of single fields, and completes what the server sets.
  ///
  /// - Parameters:
  ///   - old: `nil` if the thing is new.
  let check:
    @Sendable (_ old: Stored<Value>?, _ new: inout Value, any FleetTransaction, Call) throws(ThingError) -> Void

  var path: String { "/api/\(Value.names.many)" }
  private var schema: String { ThingSchema.name(of: Value.self) }
  private var parameter: String { "{\(Value.names.one)Id}" }
  private static var longestSearch: Int { 256 }

  var routes: [Route] { [list, create, get, put, patch] }

  // MARK: Reading

  private var list: Route {
    let filters = Value.fields.filter { $0.isFilterable && $0.access != .hidden }.map(\.key)
    let sortable = ["createdAt", "updatedAt"] + Value.fields.filter(\.isSortable).map(\.key)
    let hasSearch = Value.fields.contains(where: \.isTextSearched)
    var parameters: [Operation.Parameter] = filters.map {
      .query($0, "Only these values of `\($0)`, with commas between.", #"{"type":"string"}"#)
    }
    if hasSearch { parameters.append(.query("q", "Only those with this text.", #"{"type":"string","maxLength":256}"#)) }
    let names = sortable.joined(separator: ", ")
    parameters += [
      .query("sort", "Fields with commas between, with `-` in front: descending. \(names).", #"{"type":"string"}"#),
      .cursor, .limit(100, most: 1_000),
    ]
    let operation = Operation(
      id: "list\(Value.names.many.camelCased)", summary: "A page of \(Value.names.many.replacing("-", with: " ")).",
      parameters: parameters, results: [.init(.ok, "A page.", .json("\(schema)List"))])
    return Route(.get, path, .may(.read, area), operation, isFiltered: true) { [storage, restriction] call in
      let caller = try call.caller
      var query = ThingQuery<Value>()
      if let reach = call.reach, !reach.isEverything {
        guard let conditions = restriction(reach, caller) else { throw APIError.forbidden(reach.reason) }
        query.conditions = conditions
      }
      for key in filters {
        guard let text = call.query[key] else { continue }
        query.conditions.append(.oneOf(key: key, try Self.values(text, of: key)))
      }
      query.text = hasSearch ? call.query["q"] : nil
      guard query.text?.unicodeScalars.count ?? 0 <= Self.longestSearch else {
        throw APIError.badRequest("query: q: expected at most \(Self.longestSearch) characters")
      }
      query.order = try Self.order(call.query["sort"], sortable)
      query.cursor = try call.cursor()
      query.limit = try call.integer("limit", in: 1...1_000) ?? 100
      let wanted = query
      let page = try await storage.view(tenant: caller.tenant) { view throws(ThingError) in try view.list(wanted) }
      var list = ListBody()
      for thing in page.items { list.append(thing.json.canonicalText.utf8) }
      return Answer(json: list.finish(next: page.next))
    }
  }

  private var get: Route {
    let operation = Operation(
      id: "get\(schema)", summary: "Reads one.", parameters: [.header("If-None-Match", "ETags that are known.")],
      results: [
        .init(.ok, "It.", .json(schema), headers: ["ETag"]), .init(.notModified, "Unchanged.", headers: ["ETag"]),
      ])
    return Route(.get, "\(path)/\(parameter)", .may(.read, area), operation, isFiltered: true) { call in
      let conditions = try Preconditions(call.request.headers)
      let id = try Self.id(call)
      let stored = try await storage.view(tenant: try call.tenant) { view throws(ThingError) in
        try view.existing(id, Value.self)
      }
      try require(call, stored)
      if conditions.noneOf?.weaklyMatch(stored.entityTag) ?? false {
        var answer = Answer(status: .notModified)
        answer.headers[.eTag] = stored.entityTag
        return answer
      }
      return Self.answer(stored)
    }
  }

  // MARK: Changing

  private var create: Route {
    let operation = Operation(
      id: "create\(schema)", summary: "Makes one.", body: .json("New\(schema)"),
      results: [.init(.created, "It.", .json(schema), headers: ["ETag", "Location"])], errors: [.conflict])
    return Route(.post, path, .may(.write, area), operation, isFiltered: true) { call in
      let value = try await Self.new(call)
      let stored = try await change(call) { transaction throws(ThingError) in
        var value = value
        try check(nil, &value, transaction, call)
        let stored = try transaction.insert(value)
        try Self.require(stored, call, relation)
        return stored
      }
      return created(stored)
    }
  }

  private var put: Route {
    let operation = Operation(
      id: "create\(schema)Once",
      summary: "Makes one with the client's own id. The same request again answers as the first time.",
      parameters: [.header("If-None-Match", "Must be `*`.")], body: .json("New\(schema)"),
      results: [.init(.created, "It.", .json(schema), headers: ["ETag", "Location"])],
      errors: [.conflict, .preconditionRequired])
    return Route(.put, "\(path)/\(parameter)", .may(.write, area), operation, isFiltered: true) { call in
      let conditions = try Preconditions(call.request.headers)
      let id = try Self.id(call)
      let value = try await Self.new(call)
      guard conditions.noneOf?.isAny ?? false, conditions.oneOf == nil else {
        throw APIError(
          .preconditionRequired, "preconditionRequired",
          "If-None-Match: expected *, because PUT only makes new ones; PATCH changes them")
      }
      let stored = try await change(call) { transaction throws(ThingError) in
        var value = value
        if try transaction.find(id, Value.self) == nil { try check(nil, &value, transaction, call) }
        let stored = try transaction.insertOnce(value, id: id)
        try Self.require(stored, call, relation)
        return stored
      }
      return created(stored)
    }
  }

  private var patch: Route {
    let operation = Operation(
      id: "change\(schema)",
      summary: "Changes fields (JSON merge patch, RFC 7396). Changes of others since `If-Match` are merged.",
      parameters: [.header("If-Match", "The ETag of the version that the change was made from.")],
      body: .init(types: ["application/merge-patch+json", "application/json"], schema: "\(schema)Change"),
      results: [.init(.ok, "It.", .json(schema), headers: ["ETag"])],
      errors: [.conflict, .preconditionRequired, .preconditionFailed])
    return Route(.patch, "\(path)/\(parameter)", .may(.write, area), operation, isFiltered: true) { call in
      let id = try Self.id(call)
      try call.requireType(["application/merge-patch+json", "application/json"])
      let json = try await call.json()
      let seen = try Self.version(call)
      let stored = try await change(call) { transaction throws(ThingError) in
        let old = try transaction.existing(id, Value.self)
        try Self.require(old, call, relation)
        return try transaction.patch(old, seen: seen ?? old.version, with: json) { value throws(ThingError) in
          try check(old, &value, transaction, call)
        }
      }
      return Self.answer(stored)
    }
  }

  /// A route that executes a command of the kind's state machine.
  ///
  /// - Parameters:
  ///   - name: the last segment of the path.
  ///   - work: the command; the caller may do it to this thing.
  func command(
    _ name: String, _ summary: String, action: Action = .write,
    _ work: @escaping @Sendable (Stored<Value>, any FleetTransaction, Call) throws(ThingError) -> Stored<Value>,
    after: @escaping @Sendable (Call) throws -> Void = { _ in }
  ) -> Route {
    let operation = Operation(
      id: "\(name)\(schema)", summary: summary, results: [.init(.ok, "It.", .json(schema), headers: ["ETag"])],
      errors: [.conflict])
    return Route(.post, "\(path)/\(parameter)/\(name)", .may(action, area), operation, isFiltered: true) { call in
      let id = try Self.id(call)
      let stored = try await change(call) { transaction throws(ThingError) in
        let old = try transaction.existing(id, Value.self)
        try Self.require(old, call, relation)
        return try work(old, transaction, call)
      }
      try after(call)
      return Self.answer(stored)
    }
  }

  // MARK: Parts

  /// Changes things as the caller.
  func change<Result: Sendable>(
    _ call: Call, _ work: @escaping @Sendable (any FleetTransaction) throws(ThingError) -> Result
  ) async throws -> Result {
    let caller = try call.caller
    return try await storage.change(
      tenant: caller.tenant, by: caller.actor(from: call.client.address), at: WallClock.now, work)
  }

  /// Checks that the caller may do what the route does to a thing. To somebody who may not even read it, it does not
  /// exist.
  private func require(_ call: Call, _ stored: Stored<Value>) throws {
    try Self.require(stored, call, relation)
  }

  private static func require(
    _ stored: Stored<Value>, _ call: Call, _ relation: (Stored<Value>, Identity) -> Relation
  ) throws(ThingError) {
    guard let identity = call.identity, let reach = call.reach, !reach.isEverything else { return }
    let found = relation(stored, identity)
    guard !reach.contains(found) else { return }
    guard call.canRead(found) else {
      throw .notFound(kind: Value.names.one, id: stored.id.json.textValue ?? "")
    }
    throw .forbidden(reason: reach.reason)
  }

  /// The id in the path.
  static func id(_ call: Call) throws(APIError) -> UUIDv7 {
    let text = call.parameters.first ?? ""
    guard let id = UUIDv7(text.utf8.span) else { throw .notFound("no \(Value.names.one) \(quoted(text))") }
    return id
  }

  private static func new(_ call: Call) async throws -> Value {
    try call.requireType(["application/json"])
    let json = try await call.json()
    do throws(FieldErrors) {
      return try Value(client: json)
    } catch {
      throw ThingError.invalid(error)
    }
  }

  /// The version in `If-Match`; `nil` for any.
  ///
  /// - Throws: 428; 412 if it is not a version of this server.
  private static func version(_ call: Call) throws(APIError) -> Int64? {
    guard let field = call.request.headers[.ifMatch] else {
      throw APIError(
        .preconditionRequired, "preconditionRequired",
        "If-Match: expected the ETag of the version that this change was made from, found none")
    }
    if try EntityTags("If-Match", field).isAny { return nil }
    guard let number = Int64(field.filter { $0 != "\"" }), number > 0, field == "\"\(number)\"" else {
      throw Preconditions.failed(nil)
    }
    return number
  }

  static func answer(_ stored: Stored<Value>, status: HTTPResponse.Status = .ok) -> Answer {
    var answer = Answer(status: status, json: Array(stored.json.canonicalText.utf8))
    answer.headers[.eTag] = stored.entityTag
    return answer
  }

  private func created(_ stored: Stored<Value>) -> Answer {
    var answer = Self.answer(stored, status: .created)
    answer.headers[.location] = "\(path)/\(stored.id.json.textValue ?? "")"
    return answer
  }

  /// - Parameter text: values with commas between.
  private static func values(_ text: String, of key: String) throws(APIError) -> [JSON] {
    let texts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard texts.count <= 100 else { throw .badRequest("query: \(key): expected at most 100 values") }
    guard let field = Value.fields.first(where: { $0.key == key }) else { return [] }
    var values: [JSON] = []
    for text in texts {
      let json: JSON? =
        switch field.type {
        case .flag: ["true": JSON.bool(true), "false": .bool(false)][text]
        case .integer: Int64(text).map { .integer($0) }
        case .real: Double(text).map { .number($0) }
        default: .text(text)
        }
      guard let json, field.accepts(json) else {
        throw .badRequest("query: \(key): \(quoted(text)) is not a value of this field")
      }
      values.append(json)
    }
    return values
  }

  private static func order(_ text: String?, _ sortable: [String]) throws(APIError) -> [ThingQuery<Value>.Order] {
    guard let text else { return [] }
    var order: [ThingQuery<Value>.Order] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let key = part.hasPrefix("-") ? String(part.dropFirst()) : String(part)
      guard sortable.contains(key), !order.contains(where: { $0.key == key }) else {
        throw .badRequest(
          "query: sort: expected some of \(sortable.joined(separator: ", ")), each once, found \(quoted(text))")
      }
      order.append(.init(key, isDescending: part.hasPrefix("-")))
    }
    return order
  }
}

extension Call {
  /// The body as JSON.
  ///
  /// - Throws: 400.
  func json() async throws -> JSON {
    let bytes = try await body()
    try await memory.grow(to: 2 * bytes.count * Budget.Share.bytesForOne)
    do throws(FieldError) {
      return try JSON(parsing: bytes)
    } catch {
      throw APIError.badRequest("body: \(error.path.isEmpty ? "" : error.path + ": ")\(error.message)")
    }
  }

  /// Whether the caller may read something of the route's area.
  func canRead(_ relation: Relation) -> Bool {
    guard let identity, let area else { return false }
    return Reach(of: identity.requester, to: .read, area).contains(relation)
  }
}

extension String {
  /// `FuelEntries` of `fuel-entries`.
  fileprivate var camelCased: String {
    split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}
