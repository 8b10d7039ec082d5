import FleetDomain
import HTTPTypes
import JSONText
import Telemetry

extension Call {
  /// The tenant of the sender.
  ///
  /// - Throws: 401 if the sender has no key. A route that accepts senders without a key must not read this property.
  var tenant: TenantID {
    get throws(APIError) { try caller.tenant }
  }

  /// The sender.
  ///
  /// - Throws: 401 if the sender has no key.
  var caller: Identity {
    get throws(APIError) {
      guard let identity else { throw APIError(.unauthorized, "unauthorized", "this needs a key") }
      return identity
    }
  }

  /// The sender as the author of changes, for the audit.
  ///
  /// - Throws: 401 if the sender has no key.
  var actor: Actor {
    get throws(APIError) { try caller.actor(from: client.address) }
  }

  /// Returns the first parameter of the path, which is the name of a thing.
  ///
  /// - Throws: 404 if it is not a valid name, because no thing can have such a name.
  func name(_ kind: String) throws(APIError) -> String {
    let name = parameters.first ?? ""
    guard NameRules.isName(name) else { throw APIError.notFound("no \(kind) \(quoted(name))") }
    return name
  }

  /// Returns the name of the vehicle to which the query parameter `vehicle` limits a list; `nil` for all vehicles.
  ///
  /// - Throws: 400 if it is not a valid name.
  func vehicleFilter() throws(APIError) -> String? {
    guard let name = query["vehicle"] else { return nil }
    guard NameRules.isName(name) else {
      throw APIError.badRequest(
        "query: vehicle: expected \(NameRules.expectedName), found \(quoted(name))")
    }
    return name
  }

  /// Returns the whole number in a query parameter; `nil` if the parameter is absent.
  ///
  /// - Throws: 400 if the value is not a whole number in this range.
  func integer(_ name: String, in range: ClosedRange<Int>) throws(APIError) -> Int? {
    guard let text = query[name] else { return nil }
    guard let number = Int(text), range.contains(number), text.utf8.first != UInt8(ascii: "+") else {
      throw APIError.badRequest(
        "query: \(name): expected a whole number from \(range.lowerBound) to \(range.upperBound), found \(quoted(text))"
      )
    }
    return number
  }

  /// Returns the boolean (`true` or `false`) in a query parameter; `false` if the parameter is absent.
  ///
  /// - Throws: 400 if it has another value.
  func flag(_ name: String) throws(APIError) -> Bool {
    switch query[name] {
    case nil, "false": return false
    case "true": return true
    case let text?: throw APIError.badRequest("query: \(name): expected true or false, found \(quoted(text))")
    }
  }

  /// Returns the time in a query parameter; `nil` if the parameter is absent.
  ///
  /// - Throws: 400 if the value is not a time.
  func time(_ name: String) throws(APIError) -> Timestamp? {
    guard let text = query[name] else { return nil }
    if let time = Self.time(text) { return time }
    // In a query, `+` is decoded to a space (application/x-www-form-urlencoded). If the text would be a time with `+`
    // instead of the space, explain this in the error.
    let isPlus = text.contains(" ") && Self.time(text.replacing(" ", with: "+")) != nil
    let hint = isPlus ? "; write + as %2B" : ""
    throw APIError.badRequest(
      "query: \(name): expected a time as 2024-12-18T07:41:06.250Z (RFC 3339) from 1678 to 2261, found \(quoted(text))\(hint)"
    )
  }

  private static func time(_ text: String) -> Timestamp? {
    do throws(Timestamp.ParsingError) {
      return try Timestamp(parsing: text.utf8.span)
    } catch {
      return nil
    }
  }

  /// Returns the cursor in the query, at which a list continues; `nil` for the first page.
  ///
  /// - Throws: 400 if the cursor is not a valid text.
  func cursor() throws(APIError) -> String? {
    guard let text = query["cursor"] else { return nil }
    guard Names.isText(text, limit: 1_024) else {
      throw APIError.badRequest("query: cursor: expected \"next\" of the page before, found \(quoted(text))")
    }
    return text
  }

  /// Checks the conditions of a request. The request concerns a thing without an entity tag: `*` matches this thing,
  /// and an entity tag never matches it.
  ///
  /// - Parameter exists: returns whether the thing exists. If it does not exist, no condition fails.
  /// - Throws: 412 if the conditions fail; 400 if a header is not a list of entity tags.
  func requireNoTag(exists: () async throws -> Bool) async throws {
    let conditions = try Preconditions(request.headers)
    let isMet = conditions.oneOf?.isAny ?? true && !(conditions.noneOf?.isAny ?? false)
    if !isMet, try await exists() {
      throw APIError(
        .preconditionFailed, "changedMeanwhile", "this has no ETag: leave If-Match and If-None-Match out")
    }
  }

  /// Parses the body as a JSON object, and reads values from it. A key that `read` does not read is an error.
  ///
  /// - Throws: 415 for another content type; 400 if the body is not valid JSON; 422 if it is JSON but not the expected
  ///   object.
  func object<Value: Sendable>(
    _ read: (inout JSONObjectReader) throws(JSONError) -> Value
  ) async throws -> Value {
    try requireType(["application/json"])
    let bytes = try await body()
    try await memory.grow(to: JSONDocument.mostMemory(for: bytes.span))
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(parsing: bytes)
    } catch {
      throw APIError.badRequest("body: \(error.message)")
    }
    var reader = try JSONObjectReader(document.root)
    let value = try read(&reader)
    try reader.finish()
    return value
  }

  /// Checks the content type of the body.
  ///
  /// - Parameter others: content types that are also accepted, but not named in the error.
  /// - Returns: the content type in lower case, without parameters; `nil` if the request has no `Content-Type`.
  /// - Throws: 415 for any other type.
  @discardableResult
  func requireType(_ types: [String], or others: [String] = []) throws(APIError) -> String? {
    guard let field = request.headers[.contentType] else { return nil }
    let type = field.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
    guard types.contains(type) || others.contains(type) else {
      throw APIError(
        .unsupportedMediaType, "unsupportedType",
        "Content-Type: expected \(types.joined(separator: " or ")), found \(quoted(field))")
    }
    return type
  }
}
