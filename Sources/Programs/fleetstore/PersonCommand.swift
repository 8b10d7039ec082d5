import ArgumentParser
import CommandLineSupport
import Failures
import FleetAPI
import FleetAccess
import FleetDomain
import Telemetry

/// `fleetstore person`: the people who can sign in.
struct PersonCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "person", abstract: "Manages the people who can sign in.",
    subcommands: [Add.self, Link.self, Deactivate.self, Activate.self, ResetFactor.self, List.self])

  func run() throws { throw ValidationError("name what to do: add, link, deactivate, activate, reset-factor or list") }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Adds a person, and prints the link with which they set a password.")

    @Argument(help: "The email address.") var email: String
    @Option(help: ArgumentHelp("First name.", valueName: "name")) var firstName: String
    @Option(help: ArgumentHelp("Last name.", valueName: "name")) var lastName: String
    @Option(help: ArgumentHelp("admin, maintenance, driver or viewer; may be repeated.", valueName: "role"))
    var role: [String]
    @Option(
      parsing: .upToNextOption,
      help: ArgumentHelp("Ids of the fleets that the person may see. Without it: all.", valueName: "id"))
    var fleet: [String] = []
    @OptionGroup var address: ServerAddressOption
    @OptionGroup var owner: TenantOption
    @OptionGroup var store: CommandStore

    func run() async throws {
      let tenant = try owner.tenant()
      let person = try person()
      let secret = Secret(.ticket, of: tenant.text)
      let configuration = try store.store.configuration()
      let seconds = configuration.server.accounts.limits.invitationSeconds
      var base = ""
      try await store.withStorage { storage in
        base = try await address.base(configuration, storage)
        try await storage.change(tenant: tenant, by: Actor(.command), at: WallClock.now) {
          transaction throws(ThingError) in
          let added = try transaction.insert(person)
          try transaction.issueTicket(
            .invitation, secret.hash, of: added.id, seconds: seconds, details: Ticket.commandDetails)
        }
      }
      try StandardOutput.print(
        secret: AccountLink.text(.invitation, secret, base: base),
        lost: "the person was added: print another link with fleetstore person link \(email)")
    }

    private func person() throws(Failure) -> Person {
      var members: [String: JSON] = [
        "email": .text(email), "firstName": .text(firstName), "lastName": .text(lastName),
        "roles": .array(role.map { .text($0) }),
      ]
      if !fleet.isEmpty { members["scope"] = .array(fleet.map { .text($0) }) }
      do throws(FieldErrors) {
        return try Person(client: .object(members))
      } catch {
        throw Failure(ThingError.invalid(error))
      }
    }
  }

  struct Link: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints a link with which a person sets a new password. Links that were made before end.")

    @OptionGroup var who: PersonOption
    @OptionGroup var address: ServerAddressOption

    func run() async throws {
      let secret = Secret(.ticket, of: try who.owner.tenant().text)
      let configuration = try who.store.store.configuration()
      let limits = configuration.server.accounts.limits
      var base = ""
      try await who.store.withStorage { storage in base = try await address.base(configuration, storage) }
      let purpose = try await who.change { person, transaction throws(ThingError) in
        guard person.value.isActive else {
          throw .rule(code: "inactive", message: "this person is not active: fleetstore person activate comes first")
        }
        let purpose: Ticket.Purpose = person.value.passwordHash == nil ? .invitation : .recovery
        let seconds = purpose == .invitation ? limits.invitationSeconds : limits.recoverySeconds
        try transaction.record("invite", kind: Person.names.one, thing: person.id, details: [:])
        try transaction.issueTicket(
          purpose, secret.hash, of: person.id, seconds: seconds, details: Ticket.commandDetails)
        return purpose
      }
      try StandardOutput.print(
        secret: AccountLink.text(purpose, secret, base: base), lost: "print another link")
    }
  }

  struct Deactivate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Ends all sessions of a person, who can no longer sign in.")
    @OptionGroup var who: PersonOption

    func run() async throws {
      try await who.change { person, transaction throws(ThingError) in _ = try transaction.setActive(false, person) }
    }
  }

  struct Activate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lets a person sign in again.")
    @OptionGroup var who: PersonOption

    func run() async throws {
      try await who.change { person, transaction throws(ThingError) in _ = try transaction.setActive(true, person) }
    }
  }

  struct ResetFactor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "reset-factor",
      abstract: "Removes all second factors of a person, and ends their sessions.")
    @OptionGroup var who: PersonOption

    func run() async throws {
      try await who.change { person, transaction throws(ThingError) in try transaction.resetFactors(of: person) }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints id, email address, roles, state, last sign-in, name; separated by tabs.")
    @OptionGroup var owner: TenantOption
    @OptionGroup var store: CommandStore

    func run() async throws {
      let tenant = try owner.tenant()
      try await store.withStorage { storage in
        var query = ThingQuery<Person>(order: [.init("email")], limit: 1_000)
        repeat {
          let wanted = query
          let page = try await storage.view(tenant: tenant) { view throws(ThingError) in try view.list(wanted) }
          for person in page.items {
            let value = person.value
            try StandardOutput.print(
              [
                TimeText.of(person.id), value.email?.text ?? "-", value.roles.map(\.rawValue).joined(separator: ","),
                value.isActive ? value.passwordHash == nil ? "invited" : "active" : "inactive",
                value.lastSeenAt.map { TimeText.of($0) } ?? "-", "\(value.firstName) \(value.lastName)",
              ].joined(separator: "\t"))
          }
          query.cursor = page.next
        } while query.cursor != nil
      }
    }
  }
}

/// The argument that names a person.
struct PersonOption: ParsableArguments {
  @Argument(help: "The email address.") var email: String
  @OptionGroup var owner: TenantOption
  @OptionGroup var store: CommandStore

  /// Changes the person in one transaction.
  @discardableResult
  func change<Value: Sendable>(
    _ work: @escaping @Sendable (Stored<Person>, any FleetTransaction) throws(ThingError) -> Value
  ) async throws -> Value {
    let tenant = try owner.tenant()
    guard let address = EmailAddress(email) else {
      throw Failure(.usage, "expected an email address like ann@example.com, found \"\(email)\"")
    }
    var result: Value?
    try await store.withStorage { storage in
      result = try await storage.change(tenant: tenant, by: Actor(.command), at: WallClock.now) {
        transaction throws(ThingError) in
        guard let person = try transaction.person(address) else {
          throw .notFound(kind: Person.names.one, id: address.text)
        }
        return try work(person, transaction)
      }
    }
    // The work has ended without an error, so there is a result.
    return result!
  }
}
