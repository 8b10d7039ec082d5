import ArgumentParser
import CommandLineSupport
import Failures
import FleetAPI
import FleetConnectors
import FleetDomain

/// `fleetstore connector`: the access to other programs, from which records are pulled.
struct ConnectorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "connector", abstract: "Lists and checks the connectors to other clouds.",
    subcommands: [Check.self, List.self])

  func run() throws { throw ValidationError("name what to do: check or list") }

  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Signs in and reads the first pages, without storing them.",
      discussion: "Exit status 69 if the other program rejects the secret, or does not answer as documented.")

    @Argument(help: "The name of the connector.") var name: String
    @OptionGroup var tenant: TenantOption
    @OptionGroup var store: CommandStore

    func run() async throws {
      let configuration = try store.store.configuration()
      guard let keys = try SecretKeysFile.read(configuration) else {
        throw Failure(.badConfiguration, "accounts.secretKeysFile", "expected the file with the keys, found none")
      }
      let (name, tenant) = (name, try tenant.tenant())
      try await store.withStorage { storage in
        let found = try await storage.view(tenant: tenant) { view throws(ThingError) in
          try view.list(ThingQuery<Connector>(limit: 1_000)).items.first { $0.value.name == name }
        }
        guard let found else { throw Failure(.unavailable, "connector \(name)", "no such connector") }
        let result = await ConnectorCheck.run(
          found, tenant: tenant, storage: storage, keys: keys,
          mayUsePrivate: configuration.server.connectorsMayUsePrivate
        ) { WallClock.now }
        guard result.isWorking else { throw Failure(.unavailable, "connector \(name)", result.message) }
        try StandardOutput.say(result.message)
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints each connector: name, service, state, number of assets and records, last failure.")

    @OptionGroup var tenant: TenantOption
    @OptionGroup var store: CommandStore

    func run() async throws {
      let tenant = try tenant.tenant()
      try await store.withStorage { storage in
        let connectors = try await storage.view(tenant: tenant) { view throws(ThingError) in
          try view.list(ThingQuery<Connector>(order: [.init("name")], limit: 1_000)).items.map(\.value)
        }
        for connector in connectors {
          let state = connector.isActive ? connector.state.rawValue : "inactive"
          let parts = [
            connector.name, connector.service.rawValue, state, "\(connector.assets)", "\(connector.stored)",
            connector.failures.first?.message ?? "",
          ]
          try StandardOutput.say(parts.joined(separator: "\t"))
        }
      }
    }
  }
}
