import Telemetry

/// A position in the list of revoked tokens: the number of earlier revocations in all tenants.
public struct RevocationPosition: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int64

  public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// Tokens that were revoked or removed after a position.
public struct Revocations: Equatable, Sendable {
  public var tokens: [TenantID: Set<UUIDv7>]
  /// The position after the last of ``tokens``.
  public var position: RevocationPosition
  /// Whether the list contains all revocations after the position that the caller passed. If not, older revocations
  /// were deleted, and any token may have been revoked.
  public var isComplete: Bool
  /// Whether this list ends with the newest revocation. If not, more can be read.
  public var isLast: Bool

  public init(
    tokens: [TenantID: Set<UUIDv7>], position: RevocationPosition, isComplete: Bool = true, isLast: Bool = true
  ) {
    self.tokens = tokens
    self.position = position
    self.isComplete = isComplete
    self.isLast = isLast
  }
}
