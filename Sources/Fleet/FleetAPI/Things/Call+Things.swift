import FleetAccess
import FleetDomain
import HTTPTypes

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
    do {
      return try await heavily(bytes.count) { try JSON(parsing: bytes) }
    } catch let error as FieldError {
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

  /// Checks that the request has no body, or an empty JSON object.
  ///
  /// - Throws: 422 with the keys of the object; the errors of ``optionalJSON()``.
  func requireEmptyBody() async throws {
    guard case .object(let members) = try await optionalJSON(), !members.isEmpty else { return }
    throw ThingError.invalid(
      FieldErrors(members.keys.sorted().map { FieldError($0, "unknown key; the request has no values") }))
  }

  /// Whether the caller may read a thing with this relation, in the area of the route.
  func canRead(_ relation: Relation) -> Bool {
    guard let identity, let area else { return false }
    return Reach(of: identity.requester, to: .read, area).contains(relation)
  }
}
