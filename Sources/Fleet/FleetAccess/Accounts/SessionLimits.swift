import Telemetry

/// Times for which sessions, tokens and links are valid, in seconds.
public struct SessionLimits: Equatable, Sendable {
  /// Time without a request after which a browser's session ends.
  public var idleSeconds = 12 * 3_600
  /// Time after the sign-in at which a browser's session ends, even if it is in use.
  public var seconds = 30 * 86_400
  /// Time for which an app's access token is valid.
  public var accessSeconds = 900
  /// Time without a renewal of the access token after which an app's session ends.
  public var appIdleSeconds = 30 * 86_400
  /// Time after the sign-in at which an app's session ends, even if it is in use.
  public var appSeconds = 180 * 86_400
  /// The time for which two kinds of links are valid: invitations, and the link with which the first administrator sets
  /// up an account.
  public var invitationSeconds = 3 * 86_400
  /// Time for which a link to set a new password is valid.
  public var recoverySeconds = 3_600
  /// Maximum time from the entry of the password to the entry of the second factor.
  public var factorSeconds = 600
  /// The time after a sign-in during which a person may change factors, email addresses and roles, s.
  public var recentSeconds = 900

  public init() {}
}
