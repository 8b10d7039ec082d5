import ArgumentParser
import FleetAPI
import FleetDomain

/// `fleetstore geofences`: the fences that gateways fetch.
struct GeofencesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "geofences", abstract: "Removes the geofences that gateways fetch.", subcommands: [Remove.self])

  func run() throws { throw ValidationError("name a subcommand: remove") }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Removes all geofences of a tenant.",
      discussion: """
        Gateways drop theirs when they fetch next. To remove some of them, send the others with PUT /api/geofences. \
        Events that were recorded at a fence stay.
        """)

    @OptionGroup var owner: TenantOption
    @OptionGroup var store: CommandStore

    func run() async throws {
      let tenant = try owner.tenant()
      try await store.withStorage { storage in
        _ = try await storage.putFences(.empty, expecting: .anything, tenant: tenant, at: WallClock.now)
      }
    }
  }
}
