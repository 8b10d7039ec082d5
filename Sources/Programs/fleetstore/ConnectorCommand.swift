import ArgumentParser
import CommandLineSupport
import Failures
import FleetAPI
import FleetAccess
import FleetConnectors
import FleetDomain

/// `fleetstore connector`: the connectors, which fetch records from other services.
struct ConnectorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "connector", abstract: "Adds, lists and checks the connectors to other clouds.",
    subcommands: [Add.self, Check.self, List.self])

  func run() throws { throw ValidationError("name what to do: add, check or list") }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Adds a connector that a file describes, or changes the one with its name.",
      discussion: """
        The file has a JSON object with the keys of the API. Secrets are in files of their own, which secretFile, \
        refreshTokenFile and webhookSecretFile name.
        """)

    @Argument(help: "The file.", completion: .file()) var file: String
    @OptionGroup var tenant: TenantOption
    @OptionGroup var store: CommandStore

    func run() async throws {
      let configuration = try store.store.configuration()
      let described = try ConnectorFile(path: file, mayUsePrivate: configuration.server.connectorsMayUsePrivate)
      guard let keys = try SecretKeysFile.read(configuration) else {
        throw Failure(.badConfiguration, "accounts.secretKeysFile", "expected the file with the keys, found none")
      }
      let tenant = try tenant.tenant()
      try await store.withStorage { storage in
        try await storage.change(tenant: tenant, by: Actor(.command), at: WallClock.now) {
          transaction throws(ThingError) in try described.store(in: transaction, keys)
        }
      }
    }
  }

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
        try StandardOutput.print(result.message)
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
          try StandardOutput.print(parts.joined(separator: "\t"))
        }
      }
    }
  }
}

/// A connector that a file describes. The file has the keys of the API, with the names of files in place of secrets.
///
///     {"name":"Samsara","service":"samsara","secretFile":"samsara.token"}
private struct ConnectorFile: Sendable {
  private let connector: Connector
  /// The members of the file without the secrets. If the connector exists already, these members change it.
  private let members: JSON
  /// The secrets by their keys.
  private let secrets: [String: String]

  /// The keys of secrets. In the file, a key has the suffix `File`, and its value is the name of a file with the
  /// secret.
  private static let secretKeys = ["secret", "refreshToken", "webhookSecret"]

  /// Reads a file.
  ///
  /// - Parameter mayUsePrivate: whether addresses of this machine are allowed.
  init(path: String, mayUsePrivate: Bool) throws(Failure) {
    let text = try FileText.content(of: path)
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    do {
      guard case .object(var members) = try JSON(parsing: text.bytes) else {
        throw FieldError("", "expected an object")
      }
      var secrets: [String: String] = [:]
      for key in Self.secretKeys {
        if members[key] != nil { throw FieldError(key, "expected \(key)File: the name of a file with the secret") }
        guard let name = members.removeValue(forKey: key + "File") else { continue }
        guard let file = name.textValue else { throw FieldError(key + "File", "expected the name of a file") }
        let secret = try FileText.readSecretLine(Configuration.resolved(file, folder))
        try Connector.check(secret: secret, key: key + "File")
        secrets[key] = secret
      }
      connector = try Connector(client: .object(members))
      try connector.check(mayUsePrivate: mayUsePrivate)
      (self.members, self.secrets) = (.object(members), secrets)
    } catch let error as Failure {
      throw error
    } catch let error as FieldError {
      throw Self.failure(path, [error])
    } catch let error as FieldErrors {
      throw Self.failure(path, error.all)
    } catch let error as ThingError {
      if case .invalid(let errors) = error { throw Self.failure(path, errors.all) }
      throw Failure(error)
    } catch {
      throw Failure(.badConfiguration, path, "\(error)")
    }
  }

  private static func failure(_ path: String, _ errors: [FieldError]) -> Failure {
    Failure(
      .badConfiguration,
      lines: errors.map { "\(path): \($0.path.isEmpty ? "" : $0.path + ": ")\($0.message)" })
  }

  /// Adds the connector, or changes the existing connector of this name.
  func store(in transaction: any FleetTransaction, _ keys: SecretKeys) throws(ThingError) {
    let known = try transaction.list(ThingQuery<Connector>(limit: 1_000)).items
      .first { $0.value.name == connector.name }
    var stored: Stored<Connector>
    if let known {
      stored = try transaction.patch(known, seen: known.version, with: members)
    } else {
      stored = try transaction.insert(connector)
    }
    try transaction.follow(stored)
    var changed = stored.value
    if let secret = secrets["secret"] {
      changed.secret = keys.seal(Array(secret.utf8), for: SecretPlace.connector(stored.id))
    }
    if let secret = secrets["webhookSecret"] {
      changed.webhookSecret = keys.seal(Array(secret.utf8), for: SecretPlace.webhook(stored.id))
    }
    stored = try transaction.update(stored, to: changed, action: "setSecret")
    if let token = secrets["refreshToken"] {
      try transaction.setTokens(
        keys.seal(ConnectorCheck.tokens(refresh: token), for: SecretPlace.tokens(stored.id)), of: stored.id)
    }
  }
}
