import FleetAccess
import FleetDomain
import FleetProviders
import Telemetry

/// Tests whether a connector works with its settings.
public enum ConnectorCheck {
  /// The maximum length of an answer, bytes.
  static let longestAnswer = 32 << 20
  /// The time limit of a request, s.
  static let seconds = 60

  static func transport(mayUsePrivate: Bool) -> ProviderClient {
    ProviderClient(
      mayUseLoopback: mayUsePrivate, mayUsePrivate: mayUsePrivate, longest: longestAnswer, seconds: seconds)
  }

  /// The result of a check.
  public struct Result: Equatable, Sendable {
    public let isWorking: Bool
    /// The result as one line for people.
    public let message: String
  }

  /// Signs in, and pulls the first page of each stream. The pages are not stored, but new tokens are.
  public static func run(
    _ connector: Stored<Connector>, tenant: TenantID, storage: any FleetStorage, keys: SecretKeys, mayUsePrivate: Bool,
    now: @escaping @Sendable () -> Timestamp
  ) async -> Result {
    await run(
      connector, tenant: tenant, storage: storage, keys: keys, transport: transport(mayUsePrivate: mayUsePrivate),
      now: now)
  }

  static func run(
    _ connector: Stored<Connector>, tenant: TenantID, storage: any FleetStorage, keys: SecretKeys,
    transport: any ConnectorTransport, now: @escaping @Sendable () -> Timestamp
  ) async -> Result {
    let store = CheckedTokens(connector: connector.id, tenant: tenant, storage: storage, keys: keys, now: now)
    do throws(ConnectorError) {
      let secret = try connector.value.secret.map { sealed throws(ConnectorError) in
        try open(sealed, for: SecretPlace.connector(connector.id), keys)
      }
      let session = ConnectorSession(
        settings: connector.value, secret: secret, transport: transport, store: store, now: now)
      let client = session.client
      var (assets, records, ignored) = (Set<String>(), 0, [String: Int]())
      for stream in client.streams {
        let page: PulledPage
        do throws(ConnectorError) {
          page = try await client.pull(stream, after: .null)
        } catch {
          return Result(isWorking: false, message: "\(stream.name): \(error.description)")
        }
        assets.formUnion(page.assets.map(\.id))
        records += page.records.count
        ignored.merge(page.ignored, uniquingKeysWith: +)
      }
      return Result(isWorking: true, message: message(assets.count, records, ignored))
    } catch {
      return Result(isWorking: false, message: error.description)
    }
  }

  /// Maximum number of reasons in a message.
  private static let mostReasons = 3

  private static func message(_ assets: Int, _ records: Int, _ ignored: [String: Int]) -> String {
    func count(_ number: Int, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }
    let counts = "\(count(assets, "asset")) and \(count(records, "record")) on the first pages"
    guard !ignored.isEmpty else { return counts }
    let sorted = ignored.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let shown = sorted.prefix(mostReasons).map { "\($0.key) (\($0.value))" }
    let more = sorted.count > mostReasons ? ", and \(count(sorted.count - mostReasons, "other reason"))" : ""
    return "\(counts); ignored: \(shown.joined(separator: ", "))\(more)"
  }

  /// Returns the text to store as the tokens of a new connector for which only a refresh token is known.
  public static func tokens(refresh: String) -> [UInt8] { ConnectorTokens(refresh: refresh).text }

  static func open(_ sealed: String, for place: String, _ keys: SecretKeys) throws(ConnectorError) -> String {
    String(decoding: try openBytes(sealed, for: place, keys), as: UTF8.self)
  }

  static func openBytes(_ sealed: String, for place: String, _ keys: SecretKeys) throws(ConnectorError) -> [UInt8] {
    guard let bytes = keys.open(sealed, for: place) else {
      throw ConnectorError(.settings, "the secret cannot be decrypted: its key is not in accounts.secretKeysFile")
    }
    return bytes
  }
}

/// Reads and stores the tokens of a connector during a check. A check needs no lease.
private struct CheckedTokens: TokenStore {
  let connector: UUIDv7
  let tenant: TenantID
  let storage: any FleetStorage
  let keys: SecretKeys
  let now: @Sendable () -> Timestamp

  func tokens() async throws(ConnectorError) -> ConnectorTokens {
    let progress = try? await storage.view(tenant: tenant) { [connector] view throws(ThingError) in
      try view.progress(of: connector)
    }
    guard let sealed = progress?.value.tokens else { return ConnectorTokens() }
    return ConnectorTokens(
      parsing: try ConnectorCheck.openBytes(sealed, for: SecretPlace.tokens(connector), keys))
  }

  func store(_ tokens: ConnectorTokens) async throws(ConnectorError) {
    let sealed = keys.seal(tokens.text, for: SecretPlace.tokens(connector))
    do {
      try await storage.change(tenant: tenant, by: Actor(.command), at: now()) {
        [connector] transaction throws(ThingError) in try transaction.setTokens(sealed, of: connector)
      }
    } catch {
      throw ConnectorError(.unavailable, "cannot store the tokens")
    }
  }
}

extension ConnectorSession {
  /// The client of the connector's service.
  var client: any ConnectorClient {
    switch settings.service {
    case .samsara: SamsaraClient(session: self)
    case .aemp: AEMPClient(session: self)
    case .tesla: TeslaClient(session: self)
    case .ford: FordClient(session: self)
    }
  }
}
