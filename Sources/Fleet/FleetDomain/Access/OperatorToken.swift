import Telemetry

/// The role of an operator. It is stored by its name, so that roles can be added later.
public enum Role: String, CaseIterable, Sendable {
  /// May do everything within the tenant.
  case admin
  /// May only read.
  case readOnly
  /// Has the rights of people with the role ``PersonRole/maintenance``, except those for a person's own account.
  case maintenance
  /// Has the rights of people with the role ``PersonRole/viewer``, except those for a person's own account.
  case viewer
}

/// A token of a person or program that reads or administers the fleet.
public struct OperatorToken: Equatable, Sendable {
  /// The identifier in lists and commands. It is not secret.
  public var id: UUIDv7
  /// A description of the token's purpose, as the operator entered it; may be empty.
  public var label: String
  public var role: Role
  /// The fleets to which the rights of the role are limited: the token has rights only for their vehicles.
  public var scope: FleetScope
  public var addedAt: Timestamp
  /// The time from which the token is no longer valid; `nil` if the token does not expire.
  public var expiresAt: Timestamp?
  /// Time at which the token was revoked; `nil` if it is valid.
  public var revokedAt: Timestamp?
  /// Time of the token's last use, with a precision of about one minute; `nil` if the token was never used.
  public var lastUsedAt: Timestamp?

  public init(
    id: UUIDv7, label: String, role: Role, scope: FleetScope = .all, addedAt: Timestamp, expiresAt: Timestamp? = nil,
    revokedAt: Timestamp? = nil, lastUsedAt: Timestamp? = nil
  ) {
    self.id = id
    self.label = label
    self.role = role
    self.scope = scope
    self.addedAt = addedAt
    self.expiresAt = expiresAt
    self.revokedAt = revokedAt
    self.lastUsedAt = lastUsedAt
  }

  public func hasExpired(at time: Timestamp) -> Bool { expiresAt.map { $0 <= time } ?? false }
}

/// The owner of a secret.
public enum Principal: Equatable, Sendable {
  case gateway(Gateway, TenantID)
  case token(OperatorToken, TenantID)
  /// A person who has signed in.
  case person(SignedIn, TenantID)
}
