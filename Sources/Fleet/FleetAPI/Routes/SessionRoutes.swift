import FleetAccess
import FleetDomain
import HTTPTypes
import Telemetry

/// `/api/sessions`: the sessions of people who are signed in.
struct SessionRoutes {
  let accounts: AccountService

  private static let path = "/api/sessions"

  var routes: [Route] { [list, revoke] }

  private var list: Route {
    let operation = Operation(
      id: "listSessions", summary: "Sessions that are good, the last used first: one's own; for administrators of all.",
      parameters: [
        .query("personId", "Only this person's.", #"{"type":"string","format":"uuid"}"#), .cursor,
        .limit(100, most: 1_000),
      ], results: [.init(.ok, "A page of sessions.", .json("SessionList"))])
    return Route(.get, Self.path, .may(.read, .people), operation, isFiltered: true) { [accounts] call in
      let caller = try call.caller
      var query = ThingQuery<Session>(
        .oneOf(key: "revokedAt", [.null]), .atLeast(key: "expiresAt", accounts.now().json),
        order: [.init("lastSeenAt", isDescending: true)])
      if let text = call.query["personId"] {
        guard let id = UUIDv7(text.utf8.span) else {
          throw APIError.badRequest("query: personId: expected a UUID of version 7, found \(quoted(text))")
        }
        query.conditions.append(.oneOf(key: "personId", [id.json]))
      }
      if !Reach(of: caller.requester, to: .write, .people).isEverything {
        guard let signedIn = caller.signedIn else { throw APIError.forbidden("only people have sessions") }
        query.conditions.append(.oneOf(key: "personId", [signedIn.person.json]))
      }
      query.cursor = try call.cursor()
      query.limit = try call.integer("limit", in: 1...1_000) ?? 100
      let wanted = query
      let page = try await accounts.storage.view(tenant: caller.tenant) { view throws(ThingError) in
        try view.list(wanted)
      }
      var list = ListBody()
      for session in page.items {
        guard case .object(var members) = session.json else { continue }
        members["isCurrent"] = .bool(session.id == caller.signedIn?.session)
        list.append(JSON.object(members).canonicalText.utf8)
      }
      return Answer(json: list.finish(next: page.next))
    }
  }

  private var revoke: Route {
    let operation = Operation(
      id: "revokeSession", summary: "Ends a session: your own or, as an administrator, any session.",
      results: [.init(.noContent, "Ended.")])
    return Route(.delete, Self.path + "/{sessionId}", .may(.read, .people), operation, isFiltered: true) {
      [accounts] call in
      let caller = try call.caller
      let text = call.parameters.first ?? ""
      guard let id = UUIDv7(text.utf8.span) else { throw APIError.notFound("no session \(quoted(text))") }
      let mayAll = Reach(of: caller.requester, to: .write, .people).isEverything
      try await accounts.storage.change(
        tenant: caller.tenant, by: caller.actor(from: call.client.address), at: accounts.now()
      ) { transaction throws(ThingError) in
        let session = try transaction.existing(id, Session.self)
        guard mayAll || session.value.personID == caller.signedIn?.person else {
          throw .notFound(kind: "session", id: text)
        }
        try transaction.endSession(session, action: "revoke")
      }
      accounts.forget(caller.tenant, [id])
      return Answer(status: .noContent)
    }
  }
}
