import ArgumentParser
import CommandLineSupport
import Failures
import FleetDomain
import Telemetry

/// `fleetstore audit`: checks that the audit was not changed.
struct AuditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit", abstract: "Checks the audit.", subcommands: [Verify.self, Head.self])

  func run() throws { throw ValidationError("name what to do: verify or head") }

  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Checks every entry against the one before it, and names the first that was changed.",
      discussion:
        "With --after and --hash, which `audit head` printed earlier, it also finds an audit that was replaced as a whole or cut at its end with access to the database."
    )

    @Option(help: ArgumentHelp("The number that `audit head` printed.", valueName: "number")) var after: Int64?
    @Option(help: ArgumentHelp("The hash that `audit head` printed.", valueName: "hash")) var hash: String?
    @OptionGroup var owner: TenantOption
    @OptionGroup var store: CommandStore

    func run() async throws {
      let tenant = try owner.tenant()
      guard (after == nil) == (hash == nil) else {
        throw Failure(.usage, "--after and --hash belong together, as `fleetstore audit head` prints them")
      }
      try await store.withStorage { storage in
        var verification = AuditVerification()
        var isKnown = after == nil
        do {
          while try await verification.checkPage(
            of: storage, tenant: tenant,
            visit: { checked in
              guard checked.number == after else { return }
              guard Hexadecimal.text(checked.hash) == hash else {
                throw Failure(.badData, "audit: entry \(checked.number) has another hash than `audit head` printed")
              }
              isKnown = true
            })
          {}
        } catch let fault as AuditVerification.Fault {
          throw Failure(.badData, "audit: \(Self.text(of: fault))")
        }
        guard isKnown else {
          throw Failure(.badData, "audit: there is no entry \(after ?? 0): the end of the audit was removed")
        }
        StandardError.print("fleetstore: \(verification.number) entries are as they were written")
      }
    }

    private static func text(of fault: AuditVerification.Fault) -> String {
      switch fault {
      case .changed(let number):
        "entry \(number) was changed, removed or inserted; those before it are as they were written"
      case .misfiled(let number): "the time or the thing of entry \(number) was changed beside its content"
      case .miscounted(let found, let counted):
        "the database has \(counted) entries by its own count, and \(found) are there"
      case .endRemoved(let found, let counted):
        "the end was removed: \(found) of \(counted) entries are there"
      }
    }
  }

  struct Head: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints number and hash of the last entry, separated by a tab. Sign them, and keep them elsewhere.")
    @OptionGroup var owner: TenantOption
    @OptionGroup var store: CommandStore

    func run() async throws {
      let tenant = try owner.tenant()
      try await store.withStorage { storage in
        let last = try await storage.view(tenant: tenant) { view throws(ThingError) in
          try view.audit(thing: nil, before: nil, limit: 1).first
        }
        try StandardOutput.print(
          "\(last?.number ?? 0)\t\(Hexadecimal.text(last?.hash ?? AuditEntry.firstHash))")
      }
    }
  }
}
