import ArgumentParser
import FleetDomain

/// `fleetstore restored`: makes all earlier feed positions invalid after a backup was restored.
struct RestoredCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restored", abstract: "Starts a new range of live record numbers after a restore.",
    discussion: """
      Readers that resume with an older number then receive positionGone. The server detects by itself that another copy \
      of its database was restored. It cannot detect that a whole disk or machine was restored: then run this command.
      """)

  @OptionGroup var store: CommandStore

  func run() async throws {
    try await store.withStorage { storage in try await storage.recordRestoration() }
  }
}
