import Telemetry

/// The role of an operator. It is stored by its name, so that roles can be added later.
public enum Role: String, CaseIterable, Sendable {
  /// May do everything within the tenant.
  case admin
  /// May only read.
  case readOnly
}

/// A token of a person or program that reads or administers the fleet.
public struct OperatorToken: Equatable, Sendable {
  /// The identifier in lists and commands. It is not secret.
  public var id: UUIDv7
  /// A description of the token's purpose, as the operator entered it; may be empty.
  public var label: String
  public var role: Role
  public var addedAt: Timestamp
  /// Time at which the token was revoked; `nil` if it is valid.
  public var revokedAt: Timestamp?

  public init(id: UUIDv7, label: String, role: Role, addedAt: Timestamp, revokedAt: Timestamp? = nil) {
    self.id = id
    self.label = label
    self.role = role
    self.addedAt = addedAt
    self.revokedAt = revokedAt
  }
}

/// The owner of a secret.
public enum Principal: Equatable, Sendable {
  case gateway(Gateway, TenantID)
  case token(OperatorToken, TenantID)
  /// A person who has signed in.
  case person(SignedIn, TenantID)
}
