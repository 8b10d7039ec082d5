import FleetAccess
import FleetDomain
import HTTPTypes
import JSONText
import Telemetry

/// `/api/tokens`: the tokens of operators.
struct TokenRoutes {
  let storage: any FleetStorage
  let authenticator: Authenticator
  let hub: LiveHub

  private static let path = "/api/tokens"

  var routes: [Route] {
    [
      Route(.get, Self.path, .may(.write, .settings), Self.list) { [storage, authenticator] call in
        let tenant = try call.tenant
        await authenticator.tokens.write(tenant)
        let page = try await BoundedPage<OperatorToken>(
          call, limit: try call.integer("limit", in: 1...1_000) ?? 100, cursor: try call.cursor(),
          size: { 384 + $0.label.utf8.count + $0.scope.json.canonicalText.utf8.count },
          fetch: { try await storage.tokens(cursor: $0, limit: $1, tenant: tenant) })
        var list = ListBody()
        for token in page.items { list.append(JSONBody.object { token.write(to: &$0) }) }
        return Answer(json: list.finish(next: page.next))
      },
      Route(.post, Self.path, .may(.write, .settings), Self.add) { [storage] call in
        let now = WallClock.now
        let made = try await call.object { reader throws(JSONError) in
          let role = try reader.requiredString("role", oneOf: Role.allCases.map(\.rawValue))
          return OperatorToken(
            id: .random(at: now), label: try Names.text(&reader, "label", limit: Names.maximumLabelCount) ?? "",
            role: Role(rawValue: role) ?? .readOnly, scope: try Self.scope(&reader), addedAt: now,
            expiresAt: try Self.expiry(&reader, after: now))
        }
        let token = made
        try await Self.requireFleets(of: token.scope, storage, tenant: try call.tenant)
        let secret = Secret(.operatorToken)
        try await storage.addToken(token, secret: secret.hash, tenant: try call.tenant, by: try call.actor)
        let json = JSONBody.object { line in
          line.beginObject("token")
          token.write(to: &line)
          line.end()
          line.field("secret", secret.text)
        }
        return Answer(status: .created, json: json)
      },
      Route(.delete, Self.path + "/{tokenId}", .may(.write, .settings), Self.revoke) {
        [storage, authenticator, hub] call in
        let name = try call.name("token")
        guard let id = UUIDv7(name.utf8.span) else { throw APIError.notFound("no token \(quoted(name))") }
        if try call.flag("remove") {
          try await storage.removeToken(id, tenant: try call.tenant, by: try call.actor, at: WallClock.now)
        } else {
          try await storage.revokeToken(id, tenant: try call.tenant, by: try call.actor, at: WallClock.now)
        }
        authenticator.forget(try call.tenant)
        hub.close([id], of: try call.tenant)
        return Answer(status: .noContent)
      },
    ]
  }

  /// Reads the key `scope` of a body: `"all"`, which is the default, or the ids of 1 to 1,000 fleets.
  private static func scope(_ reader: inout JSONObjectReader) throws(JSONError) -> FleetScope {
    guard let value = reader.optional("scope") else { return .all }
    if value.kind == .string {
      _ = try value.requireString(oneOf: ["all"])
      return .all
    }
    var fleets: [UUIDv7] = []
    for element in try value.requireArray() {
      guard let id = UUIDv7(try element.requireString().utf8.span) else {
        throw element.invalid(expected: "the id of a fleet")
      }
      fleets.append(id)
    }
    guard (1...1_000).contains(fleets.count) else {
      throw value.invalid(expected: "\"all\" or the ids of 1 to 1000 fleets", found: "\(fleets.count)")
    }
    return .fleets(fleets)
  }

  /// Reads the key `expiresAt` of a body, a time after `now`; `nil` if the key is absent.
  private static func expiry(
    _ reader: inout JSONObjectReader, after now: Timestamp
  ) throws(JSONError) -> Timestamp? {
    guard let value = reader.optional("expiresAt") else { return nil }
    guard let time = try? Timestamp(parsing: try value.requireString().utf8.span), time > now else {
      throw value.invalid(expected: "a time in the future as 2024-12-18T07:41:06Z (RFC 3339)")
    }
    return time
  }

  /// Checks that the fleets of a scope exist.
  ///
  /// - Throws: 422 if one of them does not exist.
  private static func requireFleets(
    of scope: FleetScope, _ storage: any FleetStorage, tenant: TenantID
  ) async throws {
    guard case .fleets(let ids) = scope else { return }
    let missing = try await storage.view(tenant: tenant) { view throws(ThingError) -> UUIDv7? in
      for id in ids {
        if try view.find(id, Fleet.self) == nil { return id }
      }
      return nil
    }
    if let missing { throw APIError.invalid("body: scope: no fleet \(missing.string)") }
  }

  private static let list = Operation(
    id: "listTokens", summary: "Tokens in the order of their creation, without their secrets.",
    parameters: [.cursor, .limit(100, most: 1_000)], results: [.init(.ok, "A page of tokens.", .json("TokenList"))])
  private static let add = Operation(
    id: "addToken", summary: "Creates a token. Only this answer contains its secret.", body: .json("NewToken"),
    results: [.init(.created, "The token and its secret.", .json("TokenSecret"))], errors: [.conflict])
  private static let revoke = Operation(
    id: "revokeToken",
    summary: "Revokes a token, or removes it with `remove=true`, and closes its WebSockets.",
    parameters: [
      .query("remove", "`true`: lists no longer show the token.", #"{"type":"boolean","default":false}"#)
    ],
    results: [.init(.noContent, "Revoked.")])
}

extension OperatorToken {
  /// Writes the token as the members of a JSON object.
  func write(to line: inout JSONLineEncoder) {
    line.field("id", id)
    line.field("label", label)
    line.field("role", role.rawValue)
    if case .fleets(let ids) = scope {
      line.field("scope", ids.map(\.string))
    } else {
      line.field("scope", "all" as StaticString)
    }
    line.field("addedAt", addedAt)
    line.field("expiresAt", expiresAt)
    line.field("revokedAt", revokedAt)
    line.field("lastUsedAt", lastUsedAt)
  }
}
