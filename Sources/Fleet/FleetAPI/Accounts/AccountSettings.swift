import FleetAccess
import FleetDomain

/// The settings of people's accounts.
public struct AccountSettings: Equatable, Sendable {
  public var limits = SessionLimits()
  /// The cost of one guess of a password.
  public var hashCost = PasswordHash.Cost.standard
  /// The keys that encrypt secrets in the database.
  public private(set) var secretKeys: SecretKeys
  /// Whether the keys are in a file, so that secrets can still be read after a restart and by other servers.
  public private(set) var hasKeyFile: Bool
  /// The public address of the server, such as `https://fleet.example`; `nil` to use the address of the request.
  public var publicURL: String?
  /// The name that authenticator apps show.
  public var serviceName = "fleetstore"

  /// Whether mails are sent. It needs ``publicURL``: a link in a mail must not have an address that a client chose.
  public var sendsMail = false
  /// Tenants in which codes by email are no second factor.
  public var withoutEmailCodes: Set<TenantID> = []

  /// The OpenID providers. They need ``publicURL``, which the addresses for their answers begin with.
  public var providers: [OpenIDProvider] = []
  /// Tenants whose people sign in only with a provider, not with a password.
  public var requiringProvider: Set<TenantID> = []

  /// - Parameter secretKeys: `nil` for new keys. Secrets in the database can then be read only by this process.
  public init(secretKeys: SecretKeys? = nil) {
    // A line that was just generated is valid.
    self.secretKeys = secretKeys ?? SecretKeys(file: SecretKeys.newLine())!
    hasKeyFile = secretKeys != nil
  }

  /// Sets keys that are in a file.
  public mutating func use(_ keys: SecretKeys) {
    secretKeys = keys
    hasKeyFile = true
  }
}
