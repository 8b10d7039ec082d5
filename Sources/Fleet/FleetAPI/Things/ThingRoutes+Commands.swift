import FleetAccess
import FleetDomain

extension ThingRoutes {
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
  /// - Parameters:
  ///   - schema: the schema of the body, a JSON object that may be absent; `nil` if the command has no body.
  ///   - prepare: checks the command, and does a part of work that is too much for one transaction. Returns whether
  ///     this work is done. If not, it is called again in another transaction.
  func command(
    _ name: String, _ summary: String, action: Action = .write, body schema: String?,
    preparedBy prepare:
      @escaping @Sendable (
        Stored<Value>, JSON, any FleetTransaction, Call
      ) throws(ThingError) -> Bool = { _, _, _, _ in true },
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
      while true {
        let thing: Shown? = try await change(call) { transaction throws(ThingError) in
          guard try prepare(try existing(call, transaction), json, transaction, call) else { return nil }
          let changed = try work(try existing(call, transaction), json, transaction, call)
          try requireStill(call, changed, transaction)
          return try shown(changed, call, transaction)
        }
        guard let thing else { continue }
        try after(call)
        return thing.answer()
      }
    }
  }
}
