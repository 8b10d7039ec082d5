import FleetAccess
import FleetDomain
import HTTPTypes
import Telemetry

/// The routes that all kinds of things have. They list things; read a thing; create a thing, with an id that the server
/// or the client chooses; and change a thing.
///
///     ThingRoutes<Person>(storage: storage, area: .people, relation: { … }, …).routes
///
/// A command of a kind, such as `POST /api/people/{id}/deactivate`, has a separate route
/// (``command(_:_:action:_:after:)``).
struct ThingRoutes<Value: Kind>: Sendable {
  let storage: any FleetStorage
  let area: Area
  /// Returns the relation of a thing to a caller, which determines the caller's permissions.
  var relation: @Sendable (Stored<Value>, Identity, any FleetView) throws(ThingError) -> Relation
  /// Returns conditions that limit a list to the things in a caller's reach; `nil` if the caller may see no thing. This
  /// function is not called for a caller who may see all things.
  var restriction: @Sendable (Reach, Identity, any FleetView) throws(ThingError) -> [ThingQuery<Value>.Condition]?
  /// Checks the rules that concern more than one field, and sets the fields that only the server sets.
  ///
  /// - Parameters:
  ///   - old: the thing before the change; `nil` if it is new.
  let check:
    @Sendable (_ old: Stored<Value>?, _ new: inout Value, any FleetTransaction, Call) throws(ThingError) -> Void
  /// The keys in a thing's JSON whose values are computed from other things.
  var derived: [DerivedField<Value>] = []
  /// Returns conditions that limit the list of every caller.
  var always: @Sendable (Call) -> [ThingQuery<Value>.Condition] = { _ in [] }
  /// The order of a list if a request contains none.
  var order: [ThingQuery<Value>.Order] = []
  /// Returns the thing whose name a path contains; `nil` if there is no such thing.
  var find: @Sendable (_ name: String, any FleetView) throws(ThingError) -> Stored<Value>? = {
    name, view throws(ThingError) in
    guard let id = UUIDv7(name.utf8.span) else { return nil }
    return try view.find(id, Value.self)
  }
  /// Returns the keys of the fields that a caller may not see. The caller also cannot filter or sort lists by these
  /// fields.
  ///
  /// - Parameter relation: the relation of the thing to the caller; `nil` when the parameters of a list are checked.
  var hidden: @Sendable (_ relation: Relation?, Call) -> Set<String> = { _, _ in [] }
  /// Removes the values that a caller may not see because another driver was on a private journey; `nil` if things of
  /// this kind contain no values from records.
  var concealment: Concealment<Value>?
  /// Returns how a thing uses the vehicle to which it refers. The result determines whether a driver may refer to this
  /// vehicle.
  var vehicleUse: @Sendable (Value) -> VehicleUse = { _ in VehicleUse() }
  /// Changes other things as a consequence, in the transaction in which a thing was created or changed.
  var afterChange: @Sendable (Stored<Value>, any FleetTransaction) throws(ThingError) -> Void = { _, _ in }
  /// Checks a new thing after the values of its derived fields were written.
  var checkNew: @Sendable (Stored<Value>) throws(ThingError) -> Void = { _ in }
  /// Returns keys and values that only the answer to the creation of a thing contains, for example a secret.
  var shownOnce: @Sendable (Stored<Value>) throws(ThingError) -> [String: JSON] = { _ in [:] }
  /// Is called after the transaction of a merge patch was committed.
  var afterCommit: @Sendable (Call) throws -> Void = { _ in }
  /// The permission that a caller needs to list things.
  var listing = Action.read
  /// The permission that a caller needs to create a thing.
  var creating = Action.write
  /// The permission that a caller needs to change a thing.
  var changing = Action.write
  /// The members of a merge patch that need only the permission ``changing``. All others need the permission to write.
  /// `nil` if ``changing`` is enough for every member.
  var changingKeys: Set<String>?
  /// Returns the current time, which is stored as the time of a change.
  var now: TimeSource = { WallClock.now }
  /// Returns the name that a thing has in paths.
  var name: @Sendable (Stored<Value>) -> String = { $0.id.json.textValue ?? "" }

  var path: String { "/api/\(Value.names.many)" }
  var schema: String { ThingSchema.name(of: Value.self) }
  var parameter: String { "{\(Value.names.one)Id}" }

  var routes: [Route] { readingRoutes + [create, put, patch] }

  /// The routes that list and read things.
  var readingRoutes: [Route] { [list, get] }

  // MARK: Read routes

  var list: Route {
    let parameters = ListParameters<Value>()
    let operation = Operation(
      id: "list\(Value.names.many.camelCased)", summary: "A page of \(Value.names.many.replacing("-", with: " ")).",
      parameters: parameters.operations + [
        .query(
          "count", "`true`: the answer also has the number of things on all pages.", #"{"enum":["true","false"]}"#)
      ], results: [.init(.ok, "A page.", .json("\(schema)List"))])
    return Route(.get, path, .may(listing, area), operation, isFiltered: true) { call in
      let caller = try call.caller
      let request = try parameters.request(call, hidden: hidden(nil, call), order: order)
      let isCounted = try call.flag("count")
      let (items, next, count, unreadable) = try await storage.view(tenant: caller.tenant) { view throws(ThingError) in
        var query = try request.query(in: view)
        query.leavesOutUnreadable = true
        query.conditions += always(call)
        if let reach = call.reach, !reach.isEverything {
          guard let conditions = try restriction(reach, caller, view) else { throw .forbidden(reason: reach.reason) }
          query.conditions += conditions
        }
        let page = try view.list(query)
        let count = isCounted ? try view.count(query) : nil
        return (try texts(of: page.items, call, view), page.next, count, page.unreadable)
      }
      for row in unreadable {
        call.logger.error("tenant \(caller.tenant): a list lacks a row that cannot be read: \(row)")
      }
      var list = ListBody()
      for item in items { list.append(item) }
      return Answer(json: list.finish(next: next, count: count, unreadable: unreadable))
    }
  }

  var get: Route {
    let operation = Operation(
      id: "get\(schema)", summary: "Reads one.", parameters: [.header("If-None-Match", "ETags that are known.")],
      results: [
        .init(.ok, "It.", .json(schema), headers: ["ETag"]), .init(.notModified, "Unchanged.", headers: ["ETag"]),
      ])
    return Route(.get, "\(path)/\(parameter)", .may(.read, area), operation, isFiltered: true) { call in
      let conditions = try Preconditions(call.request.headers)
      let thing = try await storage.view(tenant: try call.tenant) { view throws(ThingError) in
        try shown(try existing(call, view), call, view)
      }
      if conditions.noneOf?.weaklyMatch(thing.entityTag) ?? false {
        var answer = Answer(status: .notModified)
        answer.headers[.eTag] = thing.entityTag
        return answer
      }
      return thing.answer()
    }
  }

  // MARK: Change routes

  var create: Route {
    let operation = Operation(
      id: "create\(schema)", summary: "Makes one.", body: .json("New\(schema)"),
      results: [.init(.created, "It.", .json(schema), headers: ["ETag", "Location"])], errors: [.conflict])
    return Route(.post, path, .may(creating, area), operation, isFiltered: true) { call in
      let (value, parts) = try await new(call)
      let work = try await plan(parts, ofNew: nil, call)
      let first = try await change(call) { transaction throws(ThingError) in
        try begun(try add(value, id: nil, work, transaction, call), isNew: true, transaction, call)
      }
      return created(try await finish(first, call))
    }
  }

  var put: Route {
    let operation = Operation(
      id: "create\(schema)Once",
      summary: "Makes one with the client's own id. The same request again answers as the first time.",
      parameters: [.header("If-None-Match", "Must be `*`.")], body: .json("New\(schema)"),
      results: [.init(.created, "It.", .json(schema), headers: ["ETag", "Location"])],
      errors: [.conflict, .preconditionRequired])
    return Route(.put, "\(path)/\(parameter)", .may(creating, area), operation, isFiltered: true) { call in
      let conditions = try Preconditions(call.request.headers)
      let id = try Self.id(call)
      let (value, parts) = try await new(call)
      guard conditions.noneOf?.isAny ?? false, conditions.oneOf == nil else {
        throw APIError(
          .preconditionRequired, "preconditionRequired",
          "If-None-Match: expected *, because PUT only makes new ones; PATCH changes them")
      }
      let work = try await plan(parts, ofNew: id, call)
      let first = try await change(call) { transaction throws(ThingError) in
        guard let stored = try transaction.find(id, Value.self) else {
          // The thing existed when the work was planned, and was removed meanwhile.
          guard work.count == parts.count else { throw .changedMeanwhile }
          return try begun(try add(value, id: id, work, transaction, call), isNew: true, transaction, call)
        }
        try require(call, stored, transaction)
        try transaction.requireFirst(value, of: stored)
        return try begun((stored, [:]), isNew: false, transaction, call)
      }
      return created(try await finish(first, call))
    }
  }

  var patch: Route {
    let operation = Operation(
      id: "change\(schema)",
      summary: "Changes fields (JSON merge patch, RFC 7396). Changes of others since `If-Match` are merged.",
      parameters: [.header("If-Match", "The ETag of the version that the change was made from.")],
      body: .init(types: ["application/merge-patch+json", "application/json"], schema: "\(schema)Change"),
      results: [.init(.ok, "It.", .json(schema), headers: ["ETag"])],
      errors: [.conflict, .preconditionRequired, .preconditionFailed])
    return Route(.patch, "\(path)/\(parameter)", .may(changing, area), operation, isFiltered: true) { call in
      try call.requireType(["application/merge-patch+json", "application/json"])
      let patch = try await call.json()
      let call = try forPatch(patch, call)
      let (json, parts) = separate(patch)
      try call.requireIfMatch()
      let seen = try Self.seenVersion(call)
      let work = try await plan(patch, parts, seen: seen, call)
      let first = try await change(call) { transaction throws(ThingError) in
        let old = try existing(call, transaction)
        if !hasSteps { try requireUnchanged(patch, of: old, transaction) }
        let stored = try transaction.patch(old, seen: seen ?? old.version, with: json) { value throws(ThingError) in
          try approve(old, &value, transaction, call)
        }
        let changed = try write(work, try follow(stored, transaction), seen ?? old.version, transaction, call)
        try requireStill(call, changed.thing, transaction)
        return try begun(changed, isNew: false, transaction, call)
      }
      try afterCommit(call)
      return try await finish(first, call).answer()
    }
  }

  // MARK: Helper functions

  /// Adds a new thing of a kind without ``DerivedField/steps`` for the caller, after all checks. Returns it as the
  /// caller sees it.
  ///
  /// - Parameters:
  ///   - id: the id that the client chose; `nil` if the server creates one.
  ///   - parts: the values of derived fields, by their keys.
  func insert(
    _ value: Value, id: UUIDv7?, _ parts: [String: JSON], _ transaction: any FleetTransaction, _ call: Call
  ) throws(ThingError) -> Shown {
    let written = try add(value, id: id, parts, transaction, call).thing
    return try shown(written, call, transaction).adding(try shownOnce(written))
  }

  /// Adds a new thing for the caller, after all checks.
  ///
  /// - Parameter work: the values of derived fields, and the planned work of those with ``DerivedField/steps``.
  /// - Returns: the thing, and the work that remains for further transactions.
  func add(
    _ value: Value, id: UUIDv7?, _ work: [String: JSON], _ transaction: any FleetTransaction, _ call: Call
  ) throws(ThingError) -> (thing: Stored<Value>, rest: [String: JSON]) {
    var value = value
    try approve(nil, &value, transaction, call)
    if let most = Value.mostOfTenant { try transaction.requireRoom(for: ThingQuery<Value>(), most: most) }
    let stored = try transaction.insert(value, id: id, action: "create")
    try requireStill(call, stored, transaction)
    let written = try write(work, try follow(stored, transaction), stored.version, transaction, call)
    try checkNew(written.thing)
    return written
  }

  /// Changes other things as a consequence after a thing was created or changed.
  ///
  /// - Returns: the thing after these changes, which may have set some of its fields.
  private func follow(_ stored: Stored<Value>, _ transaction: any FleetTransaction) throws(ThingError) -> Stored<Value>
  {
    try afterChange(stored, transaction)
    return Self.hasLiveFields ? try transaction.existing(stored.id, Value.self) : stored
  }

  static var hasLiveFields: Bool { Value.fields.contains { $0.access == .live } }

  /// Returns the thing in the path of a request, if the caller has the permission of the route for this thing.
  ///
  /// - Throws: `notFound` if the thing does not exist or the caller may not read it; `forbidden` if only the permission
  ///   of the route is missing.
  func existing(_ call: Call, _ view: any FleetView) throws(ThingError) -> Stored<Value> {
    let name = call.parameters.first ?? ""
    guard let stored = try find(name, view) else { throw .notFound(kind: Value.names.one, id: name) }
    try require(call, stored, view)
    return stored
  }

  /// Separates the values of derived fields from an object that a client sent. Removes values that clients cannot set.
  func separate(_ json: JSON) -> (json: JSON, parts: [String: JSON]) {
    guard case .object(var members) = json else { return (json, [:]) }
    var parts: [String: JSON] = [:]
    for field in derived {
      let value = members.removeValue(forKey: field.key)
      if field.isSettable { parts[field.key] = value }
    }
    return (.object(members), parts)
  }

  /// Makes changes in one transaction. The audit names the caller as their author.
  func change<Result: Sendable>(
    _ call: Call, _ work: @escaping @Sendable (any FleetTransaction) throws(ThingError) -> Result
  ) async throws -> Result {
    let caller = try call.caller
    return try await storage.change(
      tenant: caller.tenant, by: caller.actor(from: call.client.address), at: now(), work)
  }

  /// Returns the id in the path of a request.
  ///
  /// - Throws: 404 if the text is not an id.
  static func id(_ call: Call) throws(APIError) -> UUIDv7 {
    let text = call.parameters.first ?? ""
    guard let id = UUIDv7(text.utf8.span) else { throw .notFound("no \(Value.names.one) \(quoted(text))") }
    return id
  }

  /// Parses the body of a request that creates a thing, and separates the values of derived fields.
  func new(_ call: Call) async throws -> (value: Value, parts: [String: JSON]) {
    try call.requireType(["application/json"])
    let (json, parts) = separate(try await call.json())
    do throws(FieldErrors) {
      return (try Value(client: json), parts)
    } catch {
      throw ThingError.invalid(error)
    }
  }

  /// Returns the version in `If-Match`; `nil` if the client accepts any version; 0 if this server did not create the
  /// tag.
  static func seenVersion(_ call: Call) throws(APIError) -> Int64? {
    guard let field = call.request.headers[.ifMatch], !(try EntityTags("If-Match", field).isAny) else { return nil }
    guard field.hasPrefix("\""), field.hasSuffix("\""), field.utf8.count > 2,
      let number = Int64(field.dropFirst().prefix { $0 != "-" && $0 != "\"" }), number > 0
    else { return 0 }
    return number
  }

  func created(_ shown: Shown) -> Answer {
    var answer = shown.answer(status: .created)
    answer.headers[.location] = "\(path)/\(PercentCoding.encode(shown.name))"
    return answer
  }
}

extension String {
  /// The name of a kind in camel case: `FuelEntries` for `fuel-entries`.
  fileprivate var camelCased: String {
    split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}
