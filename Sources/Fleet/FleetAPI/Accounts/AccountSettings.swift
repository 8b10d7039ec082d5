import FleetAccess

/// The settings of people's accounts.
public struct AccountSettings: Equatable, Sendable {
  public var limits = SessionLimits()
  /// What one guess of a password costs.
  public var hashCost = PasswordHash.Cost.standard
  /// The keys of secrets in the database.
  public var secretKeys: SecretKeys
  /// The address of the server as people see it, such as `https://fleet.example`; `nil`: that of the request.
  public var publicURL: String?
  /// The name that authenticator apps show.
  public var serviceName = "fleetstore"

  /// - Parameter secretKeys: `nil`: new keys, so that secrets in the database can be read only by this process.
  public init(secretKeys: SecretKeys? = nil) {
    // A line that was just made is valid.
    self.secretKeys = secretKeys ?? SecretKeys(file: SecretKeys.newLine())!
  }
}
