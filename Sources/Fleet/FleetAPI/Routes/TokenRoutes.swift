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
      Route(.get, Self.path, .may(.write, .settings), Self.list) { [storage] call in
        let tenant = try call.tenant
        let page = try await BoundedPage<OperatorToken>(
          call, limit: try call.integer("limit", in: 1...1_000) ?? 100, cursor: try call.cursor(),
          size: { 256 + $0.label.utf8.count },
          fetch: { try await storage.tokens(cursor: $0, limit: $1, tenant: tenant) })
        var list = ListBody()
        for token in page.items { list.append(JSONBody.object { token.write(to: &$0) }) }
        return Answer(json: list.finish(next: page.next))
      },
      Route(.post, Self.path, .may(.write, .settings), Self.add) { [storage] call in
        let (role, label) = try await call.object { reader throws(JSONError) in
          let role = try reader.requiredString("role", oneOf: Role.allCases.map(\.rawValue))
          return (Role(rawValue: role), try Names.text(&reader, "label", limit: Names.maximumLabelCount) ?? "")
        }
        let secret = Secret(.operatorToken)
        let token = OperatorToken(
          id: .random(at: WallClock.now), label: label, role: role ?? .readOnly, addedAt: WallClock.now)
        try await storage.addToken(token, secret: secret.hash, tenant: try call.tenant)
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
          try await storage.removeToken(id, tenant: try call.tenant, at: WallClock.now)
        } else {
          try await storage.revokeToken(id, tenant: try call.tenant, at: WallClock.now)
        }
        authenticator.forget(try call.tenant)
        hub.close([id], of: try call.tenant)
        return Answer(status: .noContent)
      },
    ]
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
  /// Writes the members of the token's JSON object.
  func write(to line: inout JSONLineEncoder) {
    line.field("id", id)
    line.field("label", label)
    line.field("role", role.rawValue)
    line.field("addedAt", addedAt)
    line.field("revokedAt", revokedAt)
  }
}
