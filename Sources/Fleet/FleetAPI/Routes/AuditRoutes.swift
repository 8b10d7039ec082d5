import FleetAccess
import FleetDomain
import HTTPTypes
import Telemetry

/// `/api/audit`: the entries of the audit.
struct AuditRoutes {
  let storage: any FleetStorage

  /// The maximum number of entries on a page. It is small because entries can be long, and are decrypted.
  private static let mostEntries = 200

  var routes: [Route] {
    let operation = Operation(
      id: "listAudit", summary: "Changes, the newest first: of the whole tenant, or of one thing.",
      parameters: [
        .query("thing", "Only changes of the thing with this id.", #"{"type":"string","format":"uuid"}"#),
        .query("before", "Only entries with a smaller number.", #"{"type":"integer","minimum":1}"#),
        .limit(100, most: Self.mostEntries),
      ], results: [.init(.ok, "Entries.", .json("AuditList"))])
    let list = Route(.get, "/api/audit", .may(.read, .audit), operation, isFiltered: true) { [storage] call in
      let caller = try call.caller
      var thing: UUIDv7?
      if let text = call.query["thing"] {
        guard let id = UUIDv7(text.utf8.span) else {
          throw APIError.badRequest("query: thing: expected a UUID of version 7, found \(quoted(text))")
        }
        thing = id
      }
      if call.reach?.isEverything != true {
        // People who may see only their own things see only the changes of their own account.
        guard call.reach?.isOnlyOwn == true, let own = caller.signedIn?.person, thing == nil || thing == own else {
          throw APIError.forbidden(call.reach?.reason ?? "")
        }
        thing = own
      }
      let before = try call.integer("before", in: 1...Int.max).map(Int64.init)
      let limit = try call.integer("limit", in: 1...Self.mostEntries) ?? 100
      let wanted = thing
      let entries = try await storage.view(tenant: caller.tenant) { view throws(ThingError) in
        try view.audit(thing: wanted, before: before, limit: limit)
      }
      var list = ListBody()
      for entry in entries {
        guard case .object(var members) = entry.content else { continue }
        members["number"] = .integer(entry.number)
        members["hash"] = .text(Hexadecimal.text(entry.hash))
        list.append(JSON.object(members).canonicalText.utf8)
      }
      return Answer(json: list.finish())
    }
    return [list]
  }
}
