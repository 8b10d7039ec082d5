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
    // Only a caller who may change the account sees the time of its last sign-in.
    routes.hidden = { relation, call in
      let reach = Reach(of: call.identity?.requester ?? .nobody, to: .write, .people)
      return reach.isEverything || relation.map { reach.contains($0) } ?? false ? [] : ["lastSeenAt"]
    }
    // Discard the cached sessions of the tenant, because rights may have changed.
    routes.now = accounts.now
    routes.afterCommit = { [accounts] call in accounts.forget(try call.tenant, []) }
    return routes
  }

  /// The fields that people may always change in their own accounts.
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
    // An administrator may give people rights that the administrator does not have. Other callers may not.
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
      // Close live connections that were opened with the previous rights. Clients then connect again with the new
      // rights.
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
      var isErased = false
      while !isErased {
        let (isLast, ended) = try await things.change(call) { transaction throws(ThingError) in
          guard call.reach?.isEverything == true else {
            throw .forbidden(reason: "only administrators of the whole fleet erase people")
          }
          let person = try transaction.existing(id, Person.self)
          try transaction.requireAnotherAdministrator(than: person)
          // End the sessions first, so that live connections are closed.
          let ended = try transaction.endSessions(of: id, action: "erase")
          guard try Self.prepareErasure(of: id, transaction) else {
            // The person must do nothing until the next transactions have removed the rest.
            _ = try transaction.setActive(false, person)
            return (false, ended)
          }
          _ = try transaction.erase(person)
          return (true, ended)
        }
        accounts.forget(try call.tenant, ended)
        isErased = isLast
      }
      return Answer(status: .noContent)
    }
  }

  /// The maximum number of assignments, journeys, phones and things of the account that one transaction of an erasure
  /// changes.
  private static let erasedTogether = 16

  /// Ends or removes a part of the things that a person must no longer have before the person can be erased. In SQLite,
  /// all other tenants wait for the transaction.
  ///
  /// - Returns: whether everything has ended. If not, the function must be called again in another transaction.
  private static func prepareErasure(
    of person: UUIDv7, _ transaction: any FleetTransaction
  ) throws(ThingError) -> Bool {
    var rest = erasedTogether
    for driver in try transaction.drivers(of: person) {
      try transaction.endDuty(ofErased: driver.id, atMost: &rest)
      guard rest > 0 else { return false }
      rest -= try WorkRoutes.silencePhones(of: driver.id, atMost: rest, transaction)
      guard rest > 0 else { return false }
      try transaction.releaseAccount(of: driver.id)
    }
    guard try transaction.removeNotifications(of: person) else { return false }
    try transaction.removeAccountThings(of: person, atMost: &rest)
    return rest > 0
  }
}

/// The links to the page on which a person sets a password.
public enum AccountLink {
  /// Returns the link. The secret is in the fragment of the URL. Browsers do not send the fragment to servers, so no
  /// server logs the secret.
  ///
  /// - Parameter base: the server's URL, such as `https://fleet.example`.
  public static func text(_ purpose: Ticket.Purpose, _ secret: Secret, base: String) -> String {
    "\(base)/\(purpose == .recovery ? "reset" : "setup")#\(secret.text)"
  }
}

extension Stored<Person> {
  /// Returns the relation of the account to a caller, which determines the caller's permissions. Only a caller whose
  /// scope contains the account's scope may change the account, because the account gives access to all fleets in its
  /// scope.
  func relation(to identity: Identity?) -> Relation {
    Relation(
      fleets: value.scope.fleets, isOwn: identity?.signedIn?.person == id, need: .eachFleetToChange)
  }
}

extension FleetScope {
  /// The fleets in the scope; an empty set if the scope contains all fleets.
  var fleets: Set<UUIDv7> {
    if case .fleets(let ids) = self { Set(ids) } else { [] }
  }

  /// Whether the scope contains only fleets of this set.
  func isInside(_ fleets: Set<UUIDv7>) -> Bool {
    if case .fleets(let ids) = self { Set(ids).isSubset(of: fleets) } else { false }
  }
}

extension Call {
  /// The URL of this server, with the scheme and the host name that the client used.
  var ownURL: String { "\(client.isTLS ? "https" : "http")://\(request.head.authority ?? "localhost")" }
}

extension FleetTransaction {
  /// Checks that the tenant may have one more thing of a kind.
  ///
  /// - Parameters:
  ///   - present: selects the things that count for the limit.
  ///   - most: the maximum number of these things.
  ///   - setting: the name of the setting that contains the maximum; `nil` if the maximum is fixed.
  /// - Throws: `rule` with the code `limitReached` if the maximum is reached.
  func requireRoom<Value: Kind>(
    for present: ThingQuery<Value>, most: Int, setting: String? = nil
  ) throws(ThingError) {
    guard try count(present) >= most else { return }
    let origin = setting.map { " (\($0))" } ?? ""
    throw .rule(
      code: "limitReached", message: "a tenant has at most \(most) \(Value.names.many)\(origin); remove one first")
  }
}
