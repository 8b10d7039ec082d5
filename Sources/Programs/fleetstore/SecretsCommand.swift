import ArgumentParser
import CommandLineSupport
import Failures
import FleetAPI
import FleetAccess
import FleetConnectors
import FleetDomain
import FleetWork
import Telemetry

/// `fleetstore secrets`: the keys that encrypt secrets in the database.
struct SecretsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "secrets", abstract: "Replaces the key that encrypts secrets in the database.",
    subcommands: [NewKey.self, Rotate.self])

  func run() throws { throw ValidationError("name what to do: new-key or rotate") }

  struct NewKey: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "new-key", abstract: "Prints a new key: a line for the file of keys. Its first line encrypts.")

    func run() throws { try StandardOutput.say(SecretKeys.newLine()) }
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
          count += try await Self.rotate(tenant.id, keys, storage)
        }
        StandardError.say("fleetstore: \(count) secrets encrypted with the first key")
      }
    }

    private static func rotate(_ tenant: TenantID, _ keys: SecretKeys, _ storage: any FleetStorage) async throws -> Int
    {
      let factors = try await rotate(
        tenant, keys, storage, ThingQuery<Factor>(.oneOf(key: "kind", [Factor.Form.totp.json]), limit: 256), \.secret
      ) { SecretPlace.factor($0) }
      return try await factors
        + rotate(tenant, keys, storage, ThingQuery<QueuedMail>(limit: 256), \.details) { SecretPlace.mail($0) }
        + rotate(tenant, keys, storage, ThingQuery<Connector>(limit: 256), \.secret) { SecretPlace.connector($0) }
        + rotate(tenant, keys, storage, ThingQuery<Connector>(limit: 256), \.webhookSecret) {
          SecretPlace.webhook($0)
        }
        + rotate(tenant, keys, storage, ThingQuery<Forward>(limit: 256), \.secret) { SecretPlace.forward($0) }
        + rotate(tenant, keys, storage, ThingQuery<Webhook>(limit: 256), \.secret) { SecretPlace.eventWebhook($0) }
        + rotate(tenant, keys, storage, ThingQuery<PushKey>(limit: 256), \.secret) { _ in SecretPlace.pushKey }
        + rotate(tenant, keys, storage, ThingQuery<ConnectorProgress>(limit: 256), \.tokens) {
          SecretPlace.tokens($0)
        }
    }

    /// Encrypts the secrets of all things of one kind (``Kind``) with the first key of the file.
    ///
    /// - Parameters:
    ///   - first: the query for the first page of things that may have a secret.
    ///   - path: the field that contains the secret.
    ///   - place: returns the name of the place where the secret of a thing is stored.
    private static func rotate<Value: Kind>(
      _ tenant: TenantID, _ keys: SecretKeys, _ storage: any FleetStorage, _ first: ThingQuery<Value>,
      _ path: WritableKeyPath<Value, String?> & Sendable, _ place: @escaping @Sendable (UUIDv7) -> String
    ) async throws -> Int {
      var (count, cursor) = (0, String?.none)
      repeat {
        let page = try await storage.view(tenant: tenant) { [cursor] view throws(ThingError) in
          var query = first
          query.cursor = cursor
          return try view.list(query)
        }
        count += try await storage.change(tenant: tenant, by: Actor(.command), at: WallClock.now) {
          transaction throws(ThingError) in
          var count = 0
          for id in page.items.map(\.id) {
            guard let stored = try transaction.find(id, Value.self), let secret = stored.value[keyPath: path],
              keys.isOutdated(secret)
            else { continue }
            guard let opened = keys.open(secret, for: place(id)) else {
              throw .rule(
                code: "keyMissing",
                message:
                  "\(Value.names.one) \(id.json.textValue ?? ""): the key with which it was encrypted is not in the file"
              )
            }
            var changed = stored.value
            changed[keyPath: path] = keys.seal(opened, for: place(id))
            try transaction.update(stored, to: changed, action: "rotateKey")
            count += 1
          }
          return count
        }
        cursor = page.next
      } while cursor != nil
      return count
    }
  }
}
