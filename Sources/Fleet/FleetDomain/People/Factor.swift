import Telemetry

/// A method by which a person proves their identity, in addition to the password.
public struct Factor: Kind {
  public enum Form: String, FieldChoice, Sendable {
    /// One-time codes of an authenticator app (RFC 6238).
    case totp
    /// A passkey (WebAuthn), which can also replace the password.
    case passkey
    /// Codes sent by email.
    case emailCode
    /// Ten recovery codes, each of which can be used once.
    case recoveryCodes
  }

  public var personID = UUIDv7(milliseconds: 0, first: 0, rest: 0)
  public var form = Form.totp
  public var name = ""
  public var lastUsedAt: Timestamp?
  /// Whether the person has used the factor at least once, which shows that it works.
  public var isConfirmed = false
  /// The encrypted secret of one-time codes, the public key of a passkey, or the digests of recovery codes. `nil` for
  /// codes by email.
  public var secret: String?
  /// The identifier of a passkey, base64url; `nil` for other factors.
  public var credentialID: String?
  /// The last accepted time step of one-time codes, the counter of a passkey, or the number of unused recovery codes;
  /// `nil` if there is none.
  public var counter: Int64?

  public init() {}

  public static let names = KindNames(one: "factor", many: "factors")
  public static let fields: [Field<Factor>] = [
    Field("personId", \.personID).settable(by: .server).filterable(),
    Field("kind", \.form).settable(by: .server).filterable(),
    Field("name", \.name, TextRules.shown),
    Field("lastUsedAt", \.lastUsedAt).settable(by: .server),
    Field("isConfirmed", \.isConfirmed).settable(by: .server).filterable(),
    Field("secret", \.secret).settable(by: .hidden),
    Field("credentialId", \.credentialID).settable(by: .hidden).filterable(),
    Field("counter", \.counter).settable(by: .hidden),
  ]

  public func subject(id: UUIDv7) -> UUIDv7 { personID }
}

/// A secret that can be used once and only for a short time: for example the link of an invitation, or a sign-in that
/// waits for its second step.
public struct Ticket: Kind {
  public enum Purpose: String, FieldChoice, Sendable {
    /// The first administrator of a tenant sets up their account.
    case firstAdministrator
    /// An invited person sets up their account.
    case invitation
    /// A person sets a new password.
    case recovery
    /// A sign-in waits for its second factor.
    case secondFactor
    /// A passkey's registration or sign-in is in progress.
    case passkey
    /// A sign-in at an OpenID provider is in progress.
    case openID
    /// A code was sent by email.
    case emailCode
    /// Counts wrong answers of sign-ins.
    case guesses
  }

  public var purpose = Purpose.invitation
  public var personID: UUIDv7?
  /// SHA-256 of the secret (``SecretHash/text``).
  public var secret = ""
  public var expiresAt = Timestamp(nanoseconds: 0)
  /// Number of wrong answers so far.
  public var attempts: Int64 = 0
  /// Additional data, whose content depends on the purpose, as JSON; `nil` if the purpose needs none.
  public var details: String?

  public init() {}

  /// The value of ``details`` for a link that a command on the server's machine has printed.
  public static let commandDetails = "command"
  /// Whether a command on the server's machine has made the ticket. Such a ticket is valid even if passwords are
  /// switched off.
  public var isFromCommand: Bool { purpose == .firstAdministrator || details == Self.commandDetails }

  public static let isAudited = false
  public static let names = KindNames(one: "ticket", many: "tickets")
  public static let fields: [Field<Ticket>] = [
    Field("purpose", \.purpose).settable(by: .server).filterable(),
    Field("personId", \.personID).settable(by: .server).filterable(),
    Field("secret", \.secret).settable(by: .hidden).filterable(),
    Field("expiresAt", \.expiresAt).settable(by: .server).filterable(),
    Field("attempts", \.attempts).settable(by: .server),
    Field("details", \.details).settable(by: .hidden),
  ]
}
