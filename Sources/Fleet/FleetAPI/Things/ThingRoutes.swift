import FleetAccess
import FleetDomain
import HTTPTypes
import Telemetry

/// The routes that all kinds of things have: they list things, read a thing, create a thing, create a thing with an id
/// that the client chose, and change a thing.
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
  /// Changes other things as a consequence, in the transaction in which a thing was created or changed.
  var afterChange: @Sendable (Stored<Value>, any FleetTransaction) throws(ThingError) -> Void = { _, _ in }
  /// Returns keys and values that only the answer to the creation of a thing contains, for example a secret.
  var shownOnce: @Sendable (Stored<Value>) throws(ThingError) -> [String: JSON] = { _ in [:] }
  /// Whether a change of derived fields may need several transactions.
  var writesInSteps = false
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
  /// Returns the time of changes.
  var now: TimeSource = { WallClock.now }
  /// Returns the name that a thing has in paths.
  var name: @Sendable (Stored<Value>) -> String = { $0.id.json.textValue ?? "" }

  var path: String { "/api/\(Value.names.many)" }
  private var schema: String { ThingSchema.name(of: Value.self) }
  private var parameter: String { "{\(Value.names.one)Id}" }

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
      let thing = try await change(call) { transaction throws(ThingError) in
        try insert(value, id: nil, parts, transaction, call)
      }
      return created(try await finish(thing, parts, seen: 1, call))
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
      let (thing, isNew) = try await change(call) { transaction throws(ThingError) in
        guard let stored = try transaction.find(id, Value.self) else {
          return (try insert(value, id: id, parts, transaction, call), true)
        }
        try require(call, stored, transaction)
        try transaction.requireFirst(value, of: stored)
        return (try shown(stored, call, transaction), false)
      }
      return created(isNew ? try await finish(thing, parts, seen: 1, call) : thing)
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
      let (thing, base) = try await change(call) { transaction throws(ThingError) in
        let old = try existing(call, transaction)
        try requireUnchanged(patch, of: old, transaction)
        let stored = try transaction.patch(old, seen: seen ?? old.version, with: json) { value throws(ThingError) in
          try check(old, &value, transaction, call)
          try requireFiles(of: value, old: old.value, transaction, call)
        }
        let base = seen ?? old.version
        let changed = try write(parts, try follow(stored, transaction), base, transaction, call)
        try requireStill(call, changed, transaction)
        return (try shown(changed, call, transaction), base)
      }
      try afterCommit(call)
      return try await finish(thing, parts, seen: base, call).answer()
    }
  }

  /// Creates the route that removes a thing.
  ///
  /// - Parameter prepare: changes or removes other things that refer to the thing. Returns whether it has finished. If
  ///   not, it is called again in another transaction.
  func remove(
    _ summary: String,
    _ prepare:
      @escaping @Sendable (Stored<Value>, any FleetTransaction) throws(ThingError) -> Bool = { _, _ in true }
  ) -> Route {
    let operation = Operation(
      id: "remove\(schema)", summary: summary,
      parameters: [.header("If-Match", "The ETag of the version that is removed.")],
      results: [.init(.noContent, "Removed.")], errors: [.conflict, .preconditionFailed])
    return Route(.delete, "\(path)/\(parameter)", .may(changing, area), operation, isFiltered: true) { call in
      let conditions = try Preconditions(call.request.headers)
      var seen = try Self.seenVersion(call)
      var isRemoved = false
      while !isRemoved {
        let expected = seen
        seen = try await change(call) { transaction throws(ThingError) in
          let stored = try existing(call, transaction)
          guard expected ?? stored.version == stored.version, !(conditions.noneOf?.isAny ?? false) else {
            throw .changedMeanwhile
          }
          guard try prepare(stored, transaction) else { return try existing(call, transaction).version }
          try transaction.remove(try existing(call, transaction), action: "remove")
          return nil
        }
        isRemoved = seen == nil
      }
      return Answer(status: .noContent)
    }
  }

  /// Creates a route that executes a command on a thing.
  ///
  /// - Parameters:
  ///   - name: the last segment of the route's path.
  ///   - work: executes the command. It is called only if the caller has the permission for this thing.
  func command(
    _ name: String, _ summary: String, action: Action = .write,
    _ work: @escaping @Sendable (Stored<Value>, any FleetTransaction, Call) throws(ThingError) -> Stored<Value>,
    after: @escaping @Sendable (Call) throws -> Void = { _ in }
  ) -> Route {
    command(
      name, summary, action: action, body: nil,
      { thing, _, transaction, call throws(ThingError) in try work(thing, transaction, call) }, after: after)
  }

  /// Creates a route that executes a command on a thing, with the values in the body of the request.
  ///
  /// - Parameter schema: the schema of the body, a JSON object that may be absent; `nil` if the command has no body.
  func command(
    _ name: String, _ summary: String, action: Action = .write, body schema: String?,
    _ work:
      @escaping @Sendable (
        Stored<Value>, JSON, any FleetTransaction, Call
      ) throws(ThingError) -> Stored<Value>,
    after: @escaping @Sendable (Call) throws -> Void = { _ in }
  ) -> Route {
    let operation = Operation(
      id: "\(name)\(self.schema)", summary: summary, body: schema.map { .optionalJSON($0) },
      results: [.init(.ok, "It.", .json(self.schema), headers: ["ETag"])], errors: [.conflict])
    return Route(.post, "\(path)/\(parameter)/\(name)", .may(action, area), operation, isFiltered: true) { call in
      let json = schema == nil ? .object([:]) : try await call.optionalJSON()
      let thing = try await change(call) { transaction throws(ThingError) in
        let changed = try work(try existing(call, transaction), json, transaction, call)
        try requireStill(call, changed, transaction)
        return try shown(changed, call, transaction)
      }
      try after(call)
      return thing.answer()
    }
  }

  // MARK: Helper functions

  /// Adds a new thing for the caller, after all checks.
  ///
  /// - Parameters:
  ///   - id: the id that the client chose; `nil` if the server creates one.
  ///   - parts: the values of derived fields, by their keys.
  func insert(
    _ value: Value, id: UUIDv7?, _ parts: [String: JSON], _ transaction: any FleetTransaction, _ call: Call
  ) throws(ThingError) -> Shown {
    var value = value
    try check(nil, &value, transaction, call)
    try requireFiles(of: value, old: Value(), transaction, call)
    if let most = Value.mostOfTenant { try transaction.requireRoom(for: ThingQuery<Value>(), most: most) }
    let stored = try transaction.insert(value, id: id, action: "create")
    try requireStill(call, stored, transaction)
    let written = try write(parts, try follow(stored, transaction), stored.version, transaction, call)
    return try shown(written, call, transaction).adding(try shownOnce(written))
  }

  /// Checks that the caller may read the files that a change adds to a thing. Otherwise, people could add other
  /// people's files to their own things, and then read the files.
  private func requireFiles(
    of new: Value, old: Value, _ transaction: any FleetTransaction, _ call: Call
  ) throws(ThingError) {
    let added = Set(new.usedFiles).subtracting(old.usedFiles)
    guard !added.isEmpty, let identity = call.identity else { return }
    let access = FileAccess(storage: storage)
    for id in added {
      guard let file = try transaction.find(id, StoredFile.self), try access.mayRead(file, identity, transaction) else {
        throw .invalid(FieldErrors([FieldError(Value.filesKey, "no complete file \(id.string)")]))
      }
    }
  }

  /// Whether a caller may read the thing with an id.
  func mayRead(_ id: UUIDv7, _ identity: Identity, _ view: any FleetView) throws(ThingError) -> Bool {
    guard let stored = try view.find(id, Value.self) else { return false }
    let reach = Reach(of: identity.requester, to: .read, area)
    if reach.isEverything { return true }
    return reach.contains(try relation(stored, identity, view))
  }

  /// Changes other things as a consequence after a thing was created or changed.
  ///
  /// - Returns: the thing, with the live fields that these changes have set.
  private func follow(_ stored: Stored<Value>, _ transaction: any FleetTransaction) throws(ThingError) -> Stored<Value>
  {
    try afterChange(stored, transaction)
    return Self.hasLiveFields ? try transaction.existing(stored.id, Value.self) : stored
  }

  private static var hasLiveFields: Bool { Value.fields.contains { $0.access == .live } }

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

  /// Sets derived fields in further transactions, until all of them have their new values.
  ///
  /// - Parameter seen: the version of the thing that the client has read.
  /// - Returns: the thing with the new values.
  private func finish(_ first: Shown, _ parts: [String: JSON], seen: Int64, _ call: Call) async throws -> Shown {
    guard writesInSteps, !parts.isEmpty else { return first }
    var steps = 0
    while try await change(
      call,
      { transaction throws(ThingError) in
        let stored = try transaction.existing(first.id, Value.self)
        return try write(parts, stored, seen, transaction, call).version != stored.version
      })
    { steps += 1 }
    if steps == 0 { return first }
    return try await storage.view(tenant: try call.tenant) { view throws(ThingError) in
      try shown(try view.existing(first.id, Value.self), call, view)
    }
  }

  /// A thing as one caller sees it: the JSON without the fields that the caller may not see, and the entity tag.
  struct Shown: Sendable {
    let id: UUIDv7
    let name: String
    let text: [UInt8]
    let entityTag: String

    /// Returns the thing with keys that only this answer contains. The entity tag does not change.
    func adding(_ once: [String: JSON]) -> Shown {
      guard !once.isEmpty, case .object(let members)? = try? JSON(parsing: text) else { return self }
      let all = members.merging(once) { $1 }
      return Shown(id: id, name: name, text: JSON.object(all).canonicalBytes, entityTag: entityTag)
    }

    func answer(status: HTTPResponse.Status = .ok) -> Answer {
      var answer = Answer(status: status, json: text)
      answer.headers[.eTag] = entityTag
      return answer
    }
  }

  /// Returns a thing as the caller sees it.
  func shown(_ stored: Stored<Value>, _ call: Call, _ view: any FleetView) throws(ThingError) -> Shown {
    let text = try texts(of: [stored], call, view)[0]
    // A live or derived field can change without a new version of the thing. The strong entity tag must also change
    // then.
    let changesWithoutVersion = !derived.isEmpty || Self.hasLiveFields
    return Shown(
      id: stored.id, name: name(stored), text: text,
      entityTag: changesWithoutVersion
        ? "\"\(stored.version)-\(ContentTag.text(of: text).prefix(16))\"" : "\"\(stored.version)\"")
  }

  private func texts(
    of items: [Stored<Value>], _ call: Call, _ view: any FleetView
  ) throws(ThingError) -> [[UInt8]] {
    var members = items.map(\.members)
    if let identity = call.identity, !hidden(nil, call).isEmpty {
      for (index, item) in items.enumerated() {
        for key in hidden(try relation(item, identity, view), call) { members[index][key] = nil }
      }
    }
    for field in derived {
      for (index, json) in try field.read(items, view).enumerated() where json != .null {
        members[index][field.key] = json
      }
    }
    return members.map { JSON.object($0).canonicalBytes }
  }

  /// Checks the keys in a merge patch that are not stored fields: the id, the times, and derived fields that clients
  /// cannot set. If a client sends them, they must have their present values.
  ///
  /// - Throws: `invalid` with the keys that have other values.
  private func requireUnchanged(
    _ patch: JSON, of stored: Stored<Value>, _ view: any FleetView
  ) throws(ThingError) {
    guard case .object(let members) = patch else { return }
    var present = stored.members
    for field in derived where field.write == nil && members[field.key] != nil {
      present[field.key] = try field.read([stored], view).first
    }
    // `updatedAt` is not checked, because it differs if another client has changed the thing.
    let keys = ["id", "createdAt"] + derived.filter { $0.write == nil }.map(\.key)
    let errors = keys.filter { key in
      guard let value = members[key], !Value.fields.contains(where: { $0.key == key }) else { return false }
      return value != present[key] ?? .null
    }.map { FieldError($0, "the server sets this; leave it out") }
    if !errors.isEmpty { throw .invalid(FieldErrors(errors)) }
  }

  /// Separates the values of derived fields from an object that a client sent. Removes values that clients cannot set.
  func separate(_ json: JSON) -> (json: JSON, parts: [String: JSON]) {
    guard case .object(var members) = json else { return (json, [:]) }
    var parts: [String: JSON] = [:]
    for field in derived {
      let value = members.removeValue(forKey: field.key)
      if field.write != nil { parts[field.key] = value }
    }
    return (.object(members), parts)
  }

  /// Sets derived fields of a thing.
  ///
  /// - Parameter seen: the version of the thing that the client has read.
  func write(
    _ parts: [String: JSON], _ stored: Stored<Value>, _ seen: Int64, _ transaction: any FleetTransaction, _ call: Call
  ) throws(ThingError) -> Stored<Value> {
    var stored = stored
    for field in derived {
      guard let write = field.write, let json = parts[field.key] else { continue }
      stored = try write(json, stored, seen, transaction, call)
    }
    return stored
  }

  /// Makes changes in one transaction. The audit names the caller as their author.
  func change<Result: Sendable>(
    _ call: Call, _ work: @escaping @Sendable (any FleetTransaction) throws(ThingError) -> Result
  ) async throws -> Result {
    let caller = try call.caller
    return try await storage.change(
      tenant: caller.tenant, by: caller.actor(from: call.client.address), at: now(), work)
  }

  /// Returns the call with the permission that a merge patch needs.
  ///
  /// - Throws: `forbidden` if the caller does not have this permission for any thing.
  private func forPatch(_ patch: JSON, _ call: Call) throws(APIError) -> Call {
    guard let changingKeys, case .object(let members) = patch, !changingKeys.isSuperset(of: members.keys) else {
      return call
    }
    return try call.requiring(.write, area)
  }

  /// Checks that the caller has the route's permission for a thing. If the caller may not even read the thing, the
  /// error is that of a thing that does not exist.
  private func require(_ call: Call, _ stored: Stored<Value>, _ view: any FleetView) throws(ThingError) {
    guard let identity = call.identity, let reach = call.reach, !reach.isEverything else { return }
    let found = try relation(stored, identity, view)
    guard !reach.contains(found) else { return }
    guard call.canRead(found) else { throw .notFound(kind: Value.names.one, id: name(stored)) }
    throw .forbidden(reason: reach.reason)
  }

  /// Checks that the caller has the permission of the route for a thing after a change. Without this check, people
  /// could move things to fleets of other people, or out of all fleets.
  ///
  /// - Throws: `forbidden`. The error need not hide the thing, because the caller has sent it.
  func requireStill(_ call: Call, _ stored: Stored<Value>, _ view: any FleetView) throws(ThingError) {
    guard let identity = call.identity, let reach = call.reach, !reach.isEverything else { return }
    guard reach.contains(try relation(stored, identity, view)) else { throw .forbidden(reason: reach.reason) }
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

extension Call {
  /// Checks that the request names the version of the thing that the client has changed.
  ///
  /// - Throws: 428 if the request has no `If-Match`.
  func requireIfMatch() throws(APIError) {
    guard request.headers[.ifMatch] == nil else { return }
    throw APIError(
      .preconditionRequired, "preconditionRequired",
      "If-Match: expected the ETag of the version that this change was made from, found none")
  }

  /// Returns the body of the request as JSON.
  ///
  /// - Throws: 400 if the body is not valid JSON.
  func json() async throws -> JSON {
    try await parsed(try await body())
  }

  private func parsed(_ bytes: [UInt8]) async throws -> JSON {
    try await memory.grow(to: 2 * bytes.count * Budget.Share.bytesForOne)
    do throws(FieldError) {
      return try JSON(parsing: bytes)
    } catch {
      throw APIError.badRequest("body: \(error.path.isEmpty ? "" : error.path + ": ")\(error.message)")
    }
  }

  /// Returns the body of the request as a JSON object; an empty object if the request has no body.
  ///
  /// - Throws: 400 if the body is not valid JSON; 422 if it is JSON but not an object.
  func optionalJSON() async throws -> JSON {
    let bytes = try await body()
    guard !bytes.isEmpty else { return .object([:]) }
    try requireType(["application/json"])
    let json = try await parsed(bytes)
    guard case .object = json else { throw APIError.invalid("body: expected an object, found \(json.summary)") }
    return json
  }

  /// Whether the caller may read a thing with this relation, in the area of the route.
  func canRead(_ relation: Relation) -> Bool {
    guard let identity, let area else { return false }
    return Reach(of: identity.requester, to: .read, area).contains(relation)
  }
}

extension String {
  /// The name of a kind in camel case: `FuelEntries` for `fuel-entries`.
  fileprivate var camelCased: String {
    split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}
