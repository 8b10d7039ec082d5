import ArgumentParser
import FleetAPI
import FleetDomain
import FleetStorage

/// Which store a command works on, beside a server or without one.
struct CommandStore: ParsableArguments {
  @OptionGroup var store: StoreOptions

  @Flag(help: "Make the database if it does not exist.")
  var create = false

  /// Opens the store, does something with it, and closes it.
  func withStorage(_ work: (any FleetStorage) async throws -> Void) async throws {
    let storage = try await store.configuration().database.open(as: create ? .makingCommand : .command)
    do {
      try await work(storage)
    } catch let error as StorageError {
      await storage.close()
      throw Failure(error)
    } catch {
      await storage.close()
      throw error
    }
    await storage.close()
  }
}

/// Which store a program is about.
struct StoreOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The configuration (JSON).", valueName: "file"), completion: .file())
  var config: String?

  @Option(help: ArgumentHelp("sqlite:FILE or postgres://USER@HOST/DATABASE.", valueName: "address"))
  var database: String?

  /// The configuration, with what the command line says instead.
  func configuration() throws(Failure) -> Configuration {
    var configuration = try Configuration(path: config)
    if let database { configuration.database = try DatabaseAddress(database, mayHoldPassword: false) }
    return configuration
  }
}

/// Whose rows a command is about.
struct TenantOption: ParsableArguments {
  @Option(name: .customLong("tenant"), help: ArgumentHelp("The tenant.", valueName: "name"))
  var name = TenantID.standard.text

  func tenant() throws(Failure) -> TenantID {
    guard let tenant = TenantID(name) else {
      throw Failure(.usage, "tenant: expected 1 to 63 of a-z, 0-9 and -, found \"\(name)\"")
    }
    return tenant
  }
}
