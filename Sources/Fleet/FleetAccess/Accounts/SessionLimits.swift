import Telemetry

/// Validity of sessions, tokens and links, in seconds.
public struct SessionLimits: Equatable, Sendable {
  /// A browser's session ends after this time without a request.
  public var idleSeconds = 12 * 3_600
  /// A browser's session ends after this time in any case.
  public var seconds = 30 * 86_400
  /// Validity of an app's access token.
  public var accessSeconds = 900
  /// An app's session ends after this time without a renewed access token.
  public var appIdleSeconds = 30 * 86_400
  /// An app's session ends after this time in any case.
  public var appSeconds = 180 * 86_400
  /// Validity of a link that invites a person, or sets up the first administrator.
  public var invitationSeconds = 3 * 86_400
  /// Validity of a link that sets a new password.
  public var recoverySeconds = 3_600
  /// The time between the password and the second factor.
  public var factorSeconds = 600
  /// Maximum age of the last sign-in for changes of factors, email addresses and roles.
  public var recentSeconds = 900

  public init() {}
}

extension Timestamp {
  /// A later time.
  public func adding(seconds: Int) -> Timestamp {
    Timestamp(nanoseconds: nanoseconds + Int64(seconds) * 1_000_000_000)
  }
}
