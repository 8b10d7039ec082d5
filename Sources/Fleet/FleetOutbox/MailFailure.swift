import Failures

/// The reason why a mail was not sent. The place is the mail server.
public typealias MailFailure = PlacedError<MailFailureKind>

/// The kind of a ``MailFailure``.
public enum MailFailureKind: Sendable {
  /// libcurl is not installed.
  case missingLibrary
  /// The server cannot be reached, or the connection was lost.
  case unreachable
  /// The server offers no TLS, or its certificate is not accepted. Nothing was sent.
  case insecure
  /// The mail server rejects the user or password.
  case loginRefused
  /// The mail server permanently rejects the recipient or the mail (RFC 5321, codes 550 to 553).
  case mailRefused
  /// The mail server temporarily rejects the mail, or has failed.
  case failed
  /// The program is stopping.
  case stopped
}
