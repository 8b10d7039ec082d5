import ArgumentParser
import CommandLineSupport
import Failures
import FleetAPI
import FleetDomain

/// `fleetstore export`: prints all data of a tenant.
struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Prints everything of a tenant as JSON lines.",
    discussion: """
      `fleetstore import` reads them, into SQLite or PostgreSQL. They contain people, vehicles, work, gateways, fences, \
      the audit, files and all records; not passwords, second factors and sessions. Keep them as safe as the database.
      """)

  @OptionGroup var owner: TenantOption
  @OptionGroup var store: CommandStore

  func run() async throws {
    let tenant = try owner.tenant()
    let contents = try store.store.contents()
    try await store.withStorage { storage in
      var progress = ArchiveProgress("exported")
      let counts = try await TenantExport(storage: storage, tenant: tenant, contents: contents).write(
        at: WallClock.now
      ) { bytes in
        try StandardOutput.write(String(decoding: bytes, as: UTF8.self))
        progress.add(bytes: bytes.count)
      }
      StandardError.print("fleetstore: exported \(counts.rows) rows and \(counts.records) records of \(tenant.text)")
      ArchiveProgress.warn(ofMissing: counts)
    }
  }
}

/// Prints the progress of an export or import every ten seconds.
struct ArchiveProgress {
  private let verb: String
  private var bytes = 0
  private var next = ContinuousClock.now + .seconds(10)

  init(_ verb: String) { self.verb = verb }

  /// Prints a warning if contents of files are missing in the archive.
  static func warn(ofMissing counts: ArchiveCounts) {
    guard counts.missingContents > 0 else { return }
    StandardError.print(
      "fleetstore: warning: the archive lacks the contents of files (\(counts.missingContents)): were they in files.folder?"
    )
  }

  mutating func add(bytes count: Int) {
    bytes += count
    guard ContinuousClock.now >= next else { return }
    next += .seconds(10)
    StandardError.print("fleetstore: \(verb) \(bytes / 1_000_000) MB")
  }
}
