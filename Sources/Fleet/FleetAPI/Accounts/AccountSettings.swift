import FleetAccess
import FleetDomain

/// The settings of people's accounts.
public struct AccountSettings: Equatable, Sendable {
  public var limits = SessionLimits()
  /// The maximum number of people of a tenant.
  public var mostPeople = 5_000
  /// The cost of hashing one password: memory and processor time. An attacker must pay the same for each guess.
  public var hashCost = PasswordHash.Cost.standard
  /// The keys that encrypt secrets in the database.
  public private(set) var secretKeys: SecretKeys
  /// Whether the secret keys come from a file. If not, neither another server nor this server after a restart can
  /// decrypt the secrets.
  public private(set) var hasKeyFile: Bool
  /// The URL of the server as people see it, such as `https://fleet.example`; `nil` to use the URL of each request.
  public var publicURL: String?
  /// The name that authenticator apps show.
  public var serviceName = "fleetstore"

  /// Whether the server sends mails. If so, ``publicURL`` must be set, because links in mails must not use a host name
  /// that a client chose.
  public var sendsMail = false
  /// Tenants in which codes by email cannot be used as a second factor.
  public var withoutEmailCodes: Set<TenantID> = []

  /// Tenants in which people must have a second factor. A change applies at the next sign-in.
  public var requiringFactor: Set<TenantID> = []

  /// The OpenID providers. They require ``publicURL``, because they redirect browsers to URLs that begin with it.
  public var providers: [OpenIDProvider] = []
  /// Tenants in which people must sign in with a provider, not with a password.
  public var requiringProvider: Set<TenantID> = []

  /// Creates the default settings.
  ///
  /// - Parameter secretKeys: the keys that encrypt secrets in the database; `nil` to create new ones. With new keys,
  ///   only this process can decrypt the secrets.
  public init(secretKeys: SecretKeys? = nil) {
    // `newLine` returns a valid line of a key file, so the initializer does not return `nil`.
    self.secretKeys = secretKeys ?? SecretKeys(file: SecretKeys.newLine())!
    hasKeyFile = secretKeys != nil
  }

  /// Sets the secret keys, which come from a file.
  public mutating func use(_ keys: SecretKeys) {
    secretKeys = keys
    hasKeyFile = true
  }
}
