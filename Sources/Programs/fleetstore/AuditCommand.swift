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
        var (number, last) = (Int64(0), AuditEntry.firstHash)
        var isKnown = after == nil
        while true {
          let entries = try await storage.auditEntries(after: number, limit: 1_000, tenant: tenant)
          for entry in entries {
            guard entry.number == number + 1, entry.hash == AuditEntry.hash(entry.content, after: last),
              entry.content["number"]?.integerValue == entry.number
            else {
              throw Failure(
                .badData,
                "audit: entry \(number + 1) was changed, removed or inserted; those before it are as they were written"
              )
            }
            guard entry.isFoundByContent else {
              throw Failure(
                .badData, "audit: the time or the thing of entry \(entry.number) was changed beside its content")
            }
            (number, last) = (entry.number, entry.hash)
            if number == after {
              guard Hexadecimal.text(last) == hash else {
                throw Failure(.badData, "audit: entry \(number) has another hash than `audit head` printed")
              }
              isKnown = true
            }
          }
          if entries.count < 1_000 { break }
        }
        // More entries may have been added since the last page was read.
        let head = try await storage.auditHead(tenant: tenant)
        guard head.number > number || head.number == number && head.hash == last else {
          throw Failure(
            .badData, "audit: the database has \(head.number) entries by its own count, and \(number) are there")
        }
        if head.number > number,
          try await storage.auditEntries(after: number, limit: 1, tenant: tenant).first?.number != number + 1
        {
          throw Failure(.badData, "audit: the end was removed: \(number) of \(head.number) entries are there")
        }
        guard isKnown else {
          throw Failure(.badData, "audit: there is no entry \(after ?? 0): the end of the audit was removed")
        }
        StandardError.say("fleetstore: \(number) entries are as they were written")
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
        try StandardOutput.say(
          "\(last?.number ?? 0)\t\(Hexadecimal.text(last?.hash ?? AuditEntry.firstHash))")
      }
    }
  }
}
