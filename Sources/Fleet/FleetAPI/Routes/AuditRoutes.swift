import FleetAccess
import FleetDomain
import HTTPTypes
import Telemetry

/// `/api/audit`: the entries of the audit.
struct AuditRoutes {
  let storage: any FleetStorage

  /// The maximum number of entries on a page. It is small, because entries may be long and must be decrypted.
  private static let mostEntries = 200

  var routes: [Route] {
    let operation = Operation(
      id: "listAudit", summary: "Changes, the newest first: of the whole tenant, or of one thing.",
      parameters: [
        .query("thing", "Only changes of the thing with this id.", #"{"type":"string","format":"uuid"}"#),
        .query("vehicle", "Only changes of this vehicle.", #"{"type":"string"}"#),
        .query("before", "Only entries with a smaller number.", #"{"type":"integer","minimum":1}"#), .cursor,
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
        // If the caller may read only own things, the answer contains only changes of the caller's own account.
        guard call.reach?.isOnlyOwn == true, let own = caller.signedIn?.person, thing == nil || thing == own else {
          throw APIError.forbidden(call.reach?.reason ?? "")
        }
        thing = own
      }
      if let name = call.query["vehicle"] {
        guard thing == nil else { throw APIError.badRequest("query: vehicle: expected vehicle or thing, not both") }
        thing = try await storage.view(tenant: caller.tenant) { view throws(ThingError) in
          guard NameRules.isName(name), let vehicle = try view.vehicle(named: name) else {
            throw .notFound(kind: Vehicle.names.one, id: name)
          }
          return vehicle.id
        }
      }
      let before = [try call.integer("before", in: 1...Int.max).map(Int64.init), try Self.cursor(call)]
        .compactMap { $0 }.min()
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
        list.append(JSON.object(members).canonicalBytes)
      }
      // Entry 1 is the tenant's oldest entry, so no page follows it.
      let last = entries.count == limit ? entries.last.map(\.number) : nil
      return Answer(json: list.finish(next: last.flatMap { $0 > 1 ? "\(Self.cursorPrefix)\($0)" : nil }))
    }
    return [list, verify]
  }

  /// The usual length of an entry in bytes.
  private static let entryBytes = 512
  /// The maximum number of pages of entries whose hashes one request checks.
  private static let mostPages = 10

  private var verify: Route {
    let operation = Operation(
      id: "verifyAudit",
      summary:
        "Checks entries of the audit against the hashes of those before them. While `isComplete` is false, continue with `after` and `hash` of the answer.",
      parameters: [
        .query("after", "The number of an entry that was checked before.", #"{"type":"integer","minimum":1}"#),
        .query("hash", "The hash of this entry.", #"{"type":"string","pattern":"^[0-9a-f]{64}$"}"#),
      ], results: [.init(.ok, "What was checked.", .json("AuditVerification"))])
    return Route(.get, "/api/audit/verification", .may(.read, .audit), operation) { [storage] call in
      var verification = AuditVerification()
      let after = try call.integer("after", in: 1...Int.max)
      let hash = try call.query["hash"].map { text in
        guard let bytes = Hexadecimal.bytes(text), bytes.count == AuditEntry.firstHash.count else {
          throw APIError.badRequest("query: hash: expected 64 hexadecimal digits, found \(quoted(text))")
        }
        return bytes
      }
      guard (after == nil) == (hash == nil) else {
        throw APIError.badRequest("query: after and hash belong together")
      }
      if let after, let hash { verification = AuditVerification(after: Int64(after), hash: hash) }
      let tenant = try call.tenant
      var members: [String: JSON] = [:]
      do {
        var hasMore = true
        for _ in 0..<Self.mostPages where hasMore {
          hasMore = try await verification.checkPage(
            of: storage, tenant: tenant,
            with: { start, entries in
              try await call.heavily(entries.count * Self.entryBytes) {
                var checked = start
                for entry in entries where WorkTurn.mayContinue { try checked.check(entry) }
                return checked
              }
            })
        }
        members["isComplete"] = .bool(!hasMore)
      } catch let fault as AuditVerification.Fault {
        members["isComplete"] = .bool(true)
        members["fault"] = Self.json(of: fault)
      }
      members["number"] = .integer(verification.number)
      members["hash"] = .text(Hexadecimal.text(verification.hash))
      return Answer(json: Array(JSON.object(members).canonicalText.utf8))
    }
  }

  private static func json(of fault: AuditVerification.Fault) -> JSON {
    switch fault {
    case .changed(let number): .object(["kind": .text("changed"), "number": .integer(number)])
    case .misfiled(let number): .object(["kind": .text("misfiled"), "number": .integer(number)])
    case .miscounted(let found, let counted):
      .object(["kind": .text("miscounted"), "number": .integer(found), "counted": .integer(counted)])
    case .endRemoved(let found, let counted):
      .object(["kind": .text("endRemoved"), "number": .integer(found), "counted": .integer(counted)])
    }
  }

  /// The beginning of each cursor. The number of the previous page's last entry follows it.
  private static let cursorPrefix = "before-"

  private static func cursor(_ call: Call) throws(APIError) -> Int64? {
    guard let text = try call.cursor() else { return nil }
    guard text.hasPrefix(cursorPrefix), let number = Int64(text.dropFirst(cursorPrefix.count)), number > 1 else {
      throw .badRequest("query: cursor: expected \"next\" of the page before, found \(quoted(text))")
    }
    return number
  }
}
