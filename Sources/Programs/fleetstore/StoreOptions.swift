import ArgumentParser
import Failures
import FleetAPI
import FleetDomain
import FleetFiles
import FleetStorage

/// The options of a command that uses the store. The command may run while a server runs.
struct CommandStore: ParsableArguments {
  @OptionGroup var store: StoreOptions

  @Flag(help: "Make the database if it does not exist.")
  var create = false

  /// Opens the store, runs the work, and closes the store.
  func withStorage(_ work: (any FleetStorage) async throws -> Void) async throws {
    let storage = try await store.configuration().database.open(as: create ? .makingCommand : .command)
    do {
      try await work(storage)
    } catch let error as StorageError {
      await storage.close()
      throw Failure(error)
    } catch let error as ThingError {
      await storage.close()
      throw Failure(error)
    } catch {
      await storage.close()
      throw error
    }
    await storage.close()
  }
}

/// The options that select a store.
struct StoreOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The configuration (JSON).", valueName: "file"), completion: .file())
  var config: String?

  @Option(help: ArgumentHelp("sqlite:FILE or postgres://USER@HOST/DATABASE.", valueName: "address"))
  var database: String?

  /// Reads the configuration, and applies the options of the command line to it.
  func configuration() throws(Failure) -> Configuration {
    var configuration = try Configuration(path: config)
    if let database {
      do throws(DatabaseAddress.ParsingError) {
        configuration.database = try DatabaseAddress(database, mayHoldPassword: false)
      } catch {
        throw Failure(.usage, "--database: expected \(error.expected), found \(error.found)")
      }
    }
    return configuration
  }
}

extension StoreOptions {
  /// Opens the store for the contents of files; `nil` if none is configured.
  func contents() throws(Failure) -> (any FileStore)? {
    var configuration = try configuration()
    configuration.useStandardFolders()
    return try configuration.server.files.open()
  }
}

/// The option that selects a tenant.
struct TenantOption: ParsableArguments {
  @Option(
    name: .customLong("tenant"),
    help: ArgumentHelp("The tenant. (default: \(TenantID.standard))", valueName: "name"))
  var name: String?

  func tenant() throws(Failure) -> TenantID {
    guard let name else { return .standard }
    return try Self.tenant(named: name)
  }

  /// Returns the tenant with a name that was given as an option.
  static func tenant(named name: String) throws(Failure) -> TenantID {
    guard let tenant = TenantID(name) else {
      throw Failure(.usage, "--tenant: expected 1 to 63 characters of a-z, 0-9 and -, found \"\(name)\"")
    }
    return tenant
  }
}
