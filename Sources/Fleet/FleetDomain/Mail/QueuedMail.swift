import Telemetry

/// A mail to a person in the mail queue. After the mail was sent or dropped, it stays in the queue for an hour, because
/// limits count the mails of the last hour.
public struct QueuedMail: Kind {
  /// The reason for a mail, which determines its text.
  public enum Reason: String, FieldChoice, Sendable {
    /// A link with which an invited person sets up their account.
    case invitation
    /// A link with which a person sets a new password.
    case recovery
    /// A code for the second step of a sign-in, or to confirm a factor.
    case emailCode
    /// A notice to the owner: the password was changed.
    case passwordChanged
    /// A notice to the owner, sent to the old and the new address: the email address was changed.
    case emailChanged
    /// A notice to the owner: a second factor was added.
    case factorAdded
    /// A notice to the owner: a second factor was removed.
    case factorRemoved
    /// Notifications of events of the fleet.
    case notification
    /// A report that was made on a schedule, sent as a file.
    case report
  }

  public var reason = Reason.recovery
  public var personID = UUIDv7(milliseconds: 0, first: 0, rest: 0)
  public var recipient: EmailAddress?
  /// Mails with a lower number are sent first.
  public var priority: Int64 = 0
  /// The values that are inserted into the mail's text, encrypted because links and codes are secrets; `nil` after the
  /// mail was sent or dropped.
  public var details: String?
  /// Number of attempts to send the mail.
  public var attempts: Int64 = 0
  /// The time of the next attempt; `nil` after the mail was sent or dropped.
  public var nextAttemptAt: Timestamp?
  /// Time at which the mail is dropped if it could not be sent before.
  public var expiresAt = Timestamp(nanoseconds: 0)
  /// The reason why the last attempt failed; `nil` if no attempt failed, or if the mail was sent.
  public var lastError: String?

  public init() {}

  public static let isAudited = false
  public static let names = KindNames(one: "queuedMail", many: "queued-mails")
  public static let fields: [Field<QueuedMail>] = [
    Field("reason", \.reason).settable(by: .server).filterable(),
    Field("personId", \.personID).settable(by: .server).filterable(),
    Field("recipient", \.recipient).settable(by: .server).filterable().personal(),
    Field("priority", \.priority).settable(by: .server).sortable(),
    Field("details", \.details).settable(by: .hidden),
    Field("attempts", \.attempts).settable(by: .server),
    Field("nextAttemptAt", \.nextAttemptAt).settable(by: .server).sortable(),
    Field("expiresAt", \.expiresAt).settable(by: .server),
    Field("lastError", \.lastError).settable(by: .server),
  ]

  public func subject(id: UUIDv7) -> UUIDv7 { personID }
}
