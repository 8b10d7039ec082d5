import ArgumentParser
import FleetDomain

/// `fleetstore restored`
struct RestoredCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restored", abstract: "Tells the store that a backup was restored.",
    discussion: """
      Numbers of live records go on from a new beginning, so that readers which resume with an older one are told \
      positionGone. A server notices by itself that another copy of its database was put back; not so after a whole disk \
      or machine went back to an earlier state.
      """)

  @OptionGroup var store: CommandStore

  func run() async throws {
    try await store.withStorage { storage in try await storage.noteRestored() }
  }
}
