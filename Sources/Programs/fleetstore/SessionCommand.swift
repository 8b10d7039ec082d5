import ArgumentParser
import CommandLineSupport
import Failures
import FleetAPI
import FleetAccess
import FleetDomain
import Telemetry

/// `fleetstore session`: lists and ends the sessions of people who have signed in.
struct SessionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "session", abstract: "Lists and ends the sessions of people.", subcommands: [List.self, Revoke.self])

  func run() throws { throw ValidationError("name what to do: list or revoke") }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints id, email address, last use, end, client's address and name; separated by tabs.")
    @OptionGroup var owner: TenantOption
    @OptionGroup var store: CommandStore

    func run() async throws {
      let tenant = try owner.tenant()
      try await store.withStorage { storage in
        var query = ThingQuery<Session>(
          .oneOf(key: "revokedAt", [.null]), .atLeast(key: "expiresAt", WallClock.now.json),
          order: [.init("lastSeenAt", isDescending: true)], limit: 1_000)
        repeat {
          let wanted = query
          let (page, people) = try await storage.view(tenant: tenant) { view throws(ThingError) in
            let page = try view.list(wanted)
            var people: [UUIDv7: String] = [:]
            for session in page.items where people[session.value.personID] == nil {
              people[session.value.personID] = try view.find(session.value.personID, Person.self)?.value.email?.text
            }
            return (page, people)
          }
          for session in page.items {
            let value = session.value
            try StandardOutput.print(
              [
                TimeText.of(session.id), people[value.personID] ?? "-", TimeText.of(value.lastSeenAt),
                TimeText.of(value.expiresAt), value.address ?? "-", value.client ?? "-",
              ].joined(separator: "\t"))
          }
          query.cursor = page.next
        } while query.cursor != nil
      }
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Ends a session.")
    @Argument(help: "The session's id, as `session list` prints it.") var sessionId: String
    @OptionGroup var owner: TenantOption
    @OptionGroup var store: CommandStore

    func run() async throws {
      let tenant = try owner.tenant()
      guard let id = UUIDv7(sessionId.utf8.span) else {
        throw Failure(.usage, "session: expected an id as `fleetstore session list` prints it")
      }
      try await store.withStorage { storage in
        try await storage.change(tenant: tenant, by: Actor(.command), at: WallClock.now) {
          transaction throws(ThingError) in
          try transaction.endSession(try transaction.existing(id, Session.self), action: "revoke")
        }
      }
    }
  }
}
