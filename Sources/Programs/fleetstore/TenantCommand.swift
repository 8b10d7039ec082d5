import ArgumentParser
import CommandLineSupport
import Failures
import FleetAPI
import FleetDomain

/// `fleetstore tenant`: the tenants of a store.
struct TenantCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tenant", abstract: "Creates and lists tenants.", subcommands: [Add.self, List.self])

  func run() throws { throw ValidationError("name what to do: add or list") }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes a tenant. Make its first token by `fleetstore token add --tenant NAME`.")

    @Argument(help: "1 to 63 characters of a-z, 0-9 and -.") var name: String
    @OptionGroup var store: CommandStore

    func run() async throws {
      guard let tenant = TenantID(name) else {
        throw Failure(.usage, "tenant: expected 1 to 63 characters of a-z, 0-9 and -, found \"\(name)\"")
      }
      try await store.withStorage { storage in try await storage.addTenant(tenant, at: WallClock.now) }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Prints the names of all tenants.")

    @OptionGroup var store: CommandStore

    func run() async throws {
      try await store.withStorage { storage in
        for tenant in try await storage.tenants() { try StandardOutput.print(tenant.id.text) }
      }
    }
  }
}
