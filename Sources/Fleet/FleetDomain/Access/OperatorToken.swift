import Telemetry

/// What an operator may do. Kept by name, so that more can be added.
public enum Role: String, CaseIterable, Sendable {
  /// Everything within the tenant.
  case admin
  /// Reading alone.
  case readOnly
}

/// A token of a person or program that reads and administers the fleet.
public struct OperatorToken: Equatable, Sendable {
  /// Names the token in lists and when it is revoked; no secret.
  public var id: UUIDv7
  /// What it is for, in the words of who made it; may be empty.
  public var label: String
  public var role: Role
  public var addedAt: Timestamp
  /// Nil while it is good.
  public var revokedAt: Timestamp?

  public init(id: UUIDv7, label: String, role: Role, addedAt: Timestamp, revokedAt: Timestamp? = nil) {
    self.id = id
    self.label = label
    self.role = role
    self.addedAt = addedAt
    self.revokedAt = revokedAt
  }
}

/// Who a secret belongs to.
///
/// People with passwords and sessions become further cases; whatever asks for rights asks for the case.
public enum Principal: Equatable, Sendable {
  case gateway(Gateway, TenantID)
  case token(OperatorToken, TenantID)
}
