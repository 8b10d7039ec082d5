import FleetAccess
import FleetDomain
import FleetWork
import HTTPTypes
import Telemetry

/// `/api/people`: the people who can sign in.
struct PeopleRoutes {
  let accounts: AccountService

  var routes: [Route] { things.routes + [invite, deactivate, activate, remove] }

  private var things: ThingRoutes<Person> {
    var routes = ThingRoutes<Person>(
      storage: accounts.storage, area: .people,
      relation: { person, identity, _ in person.relation(to: identity) },
      restriction: { reach, identity, _ in
        let own = ThingQuery<Person>.Condition.oneOf(
          key: "id", [identity.signedIn?.person.json].compactMap { $0 })
        guard !reach.isOnlyOwn, let fleets = reach.fleets else { return [own] }
        return [.anyOf([[own], [.contains(key: "scope", fleets.map(\.string).sorted())]])]
      },
      check: { [accounts] old, new, transaction, call throws(ThingError) in
        try Self.check(old, &new, transaction, call, accounts)
      })
    // The time of the last sign-in is visible only to those who may change the account.
    routes.hidden = { relation, call in
      let reach = Reach(of: call.identity?.requester ?? .nobody, to: .write, .people)
      return reach.isEverything || relation.map { reach.contains($0) } ?? false ? [] : ["lastSeenAt"]
    }
    // This server must look up all sessions again, because rights may have changed.
    routes.now = accounts.now
    routes.afterCommit = { [accounts] call in accounts.forget(try call.tenant, []) }
    return routes
  }

  /// Fields that all people may change in their own account.
  private static let profile: Set<String> = ["firstName", "lastName", "locale", "timeZone", "units"]

  private static func check(
    _ old: Stored<Person>?, _ new: inout Person, _ transaction: any FleetTransaction, _ call: Call,
    _ accounts: AccountService
  ) throws(ThingError) {
    if old == nil {
      new.isActive = true
      try transaction.requireRoom(
        for: ThingQuery<Person>(), most: accounts.settings.mostPeople, setting: "limits.people")
    }
    let changed = Set(new.change(since: old?.value).after.keys)
    guard let identity = call.identity, let reach = call.reach else { return }
    // Only administrators may give other people rights that they do not have themselves.
    let isAdministrator = reach.isEverything
    if !isAdministrator {
      if reach.isOnlyOwn, !changed.isSubset(of: profile) {
        throw .forbidden(
          reason:
            "of one's own account one may change \(profile.sorted().joined(separator: ", ")); administrators the rest")
      }
      if let fleets = reach.fleets, !reach.isOnlyOwn, !new.scope.isInside(fleets) {
        throw .forbidden(reason: "scope: only fleets of one's own scope")
      }
    }
    if old != nil, identity.signedIn != nil, !changed.isDisjoint(with: ["email", "roles", "scope", "mayReadCosts"]) {
      do throws(APIError) {
        try call.requireRecentSignIn(accounts)
      } catch {
        throw .rule(code: error.code, message: error.message)
      }
    }
    if let old, !new.roles.contains(.admin) || new.scope != .all {
      try transaction.requireAnotherAdministrator(than: old)
    }
    if let old { try accounts.notifyOfNewAddress(old, new.email, from: call.client.address, transaction) }
    if let old, !changed.isDisjoint(with: ["roles", "scope", "mayReadCosts"]) {
      // Close live connections that were opened with the previous rights. Clients then connect again.
      try transaction.announceEnd(of: try transaction.activeSessions(of: old.id))
    }
  }

  // MARK: Commands

  private var invite: Route {
    let operation = Operation(
      id: "invitePerson",
      summary:
        "Makes a link with which the person sets a password, and mails it if the server sends mails. It is good once; links that were made before end.",
      results: [.init(.ok, "The link.", .json("Invitation"))], errors: [.conflict])
    return Route(.post, "/api/people/{personId}/invite", .may(.write, .people), operation, isFiltered: true) {
      [accounts, things] call in
      let id = try ThingRoutes<Person>.id(call)
      let tenant = try call.tenant
      let secret = Secret(.ticket, of: tenant.text)
      let limits = accounts.settings.limits
      let (ticket, isMailed) = try await things.change(call) { transaction throws(ThingError) in
        guard call.reach?.isOnlyOwn == false else { throw .forbidden(reason: "only administrators invite people") }
        let person = try things.existing(call, transaction)
        guard person.value.isActive else {
          throw .rule(code: "inactive", message: "this person is not active; activate them first")
        }
        guard !accounts.settings.requiringProvider.contains(tenant) else {
          throw .rule(
            code: "providerRequired",
            message: "people sign in at their provider here, so that a link to set a password would not work")
        }
        let purpose: Ticket.Purpose = person.value.passwordHash == nil ? .invitation : .recovery
        let seconds = purpose == .invitation ? limits.invitationSeconds : limits.recoverySeconds
        try transaction.record("invite", kind: Person.names.one, thing: id, details: [:])
        let ticket = try transaction.issueTicket(purpose, secret.hash, of: id, seconds: seconds)
        return (ticket, try accounts.mailLink(ticket, secret, to: person, transaction))
      }
      let link = AccountLink.text(ticket.value.purpose, secret, base: accounts.settings.publicURL ?? call.ownURL)
      return Answer(
        json: Array(
          JSON.object([
            "link": .text(link), "token": .text(secret.text), "expiresAt": ticket.value.expiresAt.json,
            "isMailed": .bool(isMailed),
          ]).canonicalText.utf8))
    }
  }

  private var deactivate: Route {
    things.command("deactivate", "Ends all sessions of a person, who can no longer sign in.") {
      person, transaction, call throws(ThingError) in
      guard call.reach?.isOnlyOwn == false else { throw .forbidden(reason: "only administrators deactivate people") }
      return try transaction.setActive(false, person)
    } after: { [accounts] call in
      accounts.forget(try call.tenant, [])
    }
  }

  private var activate: Route {
    things.command("activate", "Lets a person sign in again.") { person, transaction, call throws(ThingError) in
      guard call.reach?.isOnlyOwn == false else { throw .forbidden(reason: "only administrators activate people") }
      return try transaction.setActive(true, person)
    } after: { [accounts] call in
      accounts.forget(try call.tenant, [])
    }
  }

  private var remove: Route {
    let operation = Operation(
      id: "erasePerson",
      summary: "Erases a person: what the audit says of them can no longer be read, and the audit still verifies.",
      results: [.init(.noContent, "Erased.")], errors: [.conflict])
    return Route(.delete, "/api/people/{personId}", .may(.write, .people), operation, isFiltered: true) {
      [accounts, things] call in
      let id = try ThingRoutes<Person>.id(call)
      let ended = try await things.change(call) { transaction throws(ThingError) in
        guard call.reach?.isEverything == true else {
          throw .forbidden(reason: "only administrators of the whole fleet erase people")
        }
        try transaction.removeNotifications(of: id)
        return try transaction.erase(try transaction.existing(id, Person.self))
      }
      accounts.forget(try call.tenant, ended)
      return Answer(status: .noContent)
    }
  }
}

/// Links to the page on which a person sets a password.
public enum AccountLink {
  /// Returns the link. Its secret is in the URL's fragment. Browsers do not send the fragment to servers, so no server
  /// logs it.
  ///
  /// - Parameter base: the server's URL, such as `https://fleet.example`.
  public static func text(_ purpose: Ticket.Purpose, _ secret: Secret, base: String) -> String {
    "\(base)/\(purpose == .recovery ? "reset" : "setup")#\(secret.text)"
  }
}

extension Stored<Person> {
  /// Returns the relation of the account to a caller. Only a caller whose scope contains the account's scope may change
  /// the account, because its owner has access to all fleets of that scope.
  func relation(to identity: Identity?) -> Relation {
    Relation(
      fleets: value.scope.fleets, isOwn: identity?.signedIn?.person == id, need: .eachFleetToChange)
  }
}

extension FleetScope {
  /// The fleets of the scope; empty if it contains all fleets.
  var fleets: Set<UUIDv7> {
    if case .fleets(let ids) = self { Set(ids) } else { [] }
  }

  /// Whether all fleets of the scope belong to these fleets.
  func isInside(_ fleets: Set<UUIDv7>) -> Bool {
    if case .fleets(let ids) = self { Set(ids).isSubset(of: fleets) } else { false }
  }
}

extension Call {
  /// The URL of this server in the form in which the client used it.
  var ownURL: String { "\(client.isTLS ? "https" : "http")://\(request.head.authority ?? "localhost")" }
}

extension FleetTransaction {
  /// Checks that the tenant may have one more thing.
  ///
  /// - Parameters:
  ///   - present: selects the things that are counted.
  ///   - most: the maximum number of these things.
  ///   - setting: the setting that contains the maximum; `nil` if it cannot be set.
  /// - Throws: `rule` with `limitReached`.
  func requireRoom<Value: Kind>(
    for present: ThingQuery<Value>, most: Int, setting: String? = nil
  ) throws(ThingError) {
    guard try values(Value.fields.prefix(1).map(\.key), present).count >= most else { return }
    let origin = setting.map { " (\($0))" } ?? ""
    throw .rule(
      code: "limitReached", message: "a tenant has at most \(most) \(Value.names.many)\(origin); remove one first")
  }
}
