import ArgumentParser
import CommandLineSupport
import Failures
import FleetAPI
import FleetAccess
import FleetDomain

/// `fleetstore secrets`: the keys that encrypt secrets in the database.
struct SecretsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "secrets", abstract: "Replaces the key that encrypts secrets in the database.",
    subcommands: [NewKey.self, Rotate.self])

  func run() throws { throw ValidationError("name what to do: new-key or rotate") }

  struct NewKey: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "new-key", abstract: "Prints a new key: a line for the file of keys. Its first line encrypts.")

    func run() throws { try StandardOutput.print(SecretKeys.newLine()) }
  }

  struct Rotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Encrypts all secrets with the first key of the file, and prints how many.",
      discussion: "Restart the servers with the new file first, so that they can read what this command writes.")

    @OptionGroup var store: CommandStore

    func run() async throws {
      guard let keys = try SecretKeysFile.read(try store.store.configuration()) else {
        throw Failure(.badConfiguration, "accounts.secretKeysFile", "expected the file with the keys, found none")
      }
      try await store.withStorage { storage in
        var count = 0
        for tenant in try await storage.tenants() {
          for field in SealedField.all {
            count += try await field.rotate(tenant.id, keys, storage, at: WallClock.now)
          }
        }
        StandardError.print("fleetstore: \(count) secrets encrypted with the first key")
      }
    }
  }
}
