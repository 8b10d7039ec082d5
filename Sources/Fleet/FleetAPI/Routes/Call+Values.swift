import FleetDomain
import HTTPTypes
import JSONText
import Telemetry

extension Call {
  /// The sender's tenant.
  ///
  /// - Throws: 401 on a route that is open to all, which would be an error in the route table.
  var tenant: TenantID {
    get throws(APIError) { try caller.tenant }
  }

  /// The sender.
  var caller: Identity {
    get throws(APIError) {
      guard let identity else { throw APIError(.unauthorized, "unauthorized", "this needs a key") }
      return identity
    }
  }

  /// The first parameter of the path.
  ///
  /// - Throws: 404 if it cannot be a name: then nothing has this name.
  func name(_ kind: String) throws(APIError) -> String {
    let name = parameters.first ?? ""
    guard NameRules.isName(name) else { throw APIError.notFound("no \(kind) \(quoted(name))") }
    return name
  }

  /// The vehicle to which a list is restricted.
  ///
  /// - Throws: 400 if it cannot be a name.
  func vehicleFilter() throws(APIError) -> String? {
    guard let name = query["vehicle"] else { return nil }
    guard NameRules.isName(name) else {
      throw APIError.badRequest(
        "query: vehicle: expected \(NameRules.expectedName), found \(quoted(name))")
    }
    return name
  }

  /// A whole number in the query.
  func integer(_ name: String, in range: ClosedRange<Int>) throws(APIError) -> Int? {
    guard let text = query[name] else { return nil }
    guard let number = Int(text), range.contains(number), text.utf8.first != UInt8(ascii: "+") else {
      throw APIError.badRequest(
        "query: \(name): expected a whole number from \(range.lowerBound) to \(range.upperBound), found \(quoted(text))"
      )
    }
    return number
  }

  /// `true` or `false` in the query; `false` if absent.
  func flag(_ name: String) throws(APIError) -> Bool {
    switch query[name] {
    case nil, "false": return false
    case "true": return true
    case let text?: throw APIError.badRequest("query: \(name): expected true or false, found \(quoted(text))")
    }
  }

  /// A time in the query.
  func time(_ name: String) throws(APIError) -> Timestamp? {
    guard let text = query[name] else { return nil }
    if let time = Self.time(text) { return time }
    // `+` means a space in a query (application/x-www-form-urlencoded).
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

  /// The cursor at which a list continues.
  func cursor() throws(APIError) -> String? {
    guard let text = query["cursor"] else { return nil }
    guard Names.isText(text, limit: 1_024) else {
      throw APIError.badRequest("query: cursor: expected \"next\" of the page before, found \(quoted(text))")
    }
    return text
  }

  /// Checks the conditions for something without an entity tag: it matches `*`, but no tag.
  ///
  /// - Parameter exists: whether it exists; otherwise the conditions do not apply.
  /// - Throws: 412 if the conditions fail; 400 if a header is not a list of entity tags.
  func requireNoTag(exists: () async throws -> Bool) async throws {
    let conditions = try Preconditions(request.headers)
    let isMet = conditions.oneOf?.isAny ?? true && !(conditions.noneOf?.isAny ?? false)
    if !isMet, try await exists() {
      throw APIError(
        .preconditionFailed, "changedMeanwhile", "this has no ETag: leave If-Match and If-None-Match out")
    }
  }

  /// Parses the body as a small JSON object, strictly.
  ///
  /// - Throws: 415 for another type; 400 for invalid JSON; 422 for JSON of another form.
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

  /// - Parameter others: types that are also accepted, but not documented.
  /// - Returns: the type in lower case; `nil` if the request has none.
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
