import Telemetry

/// A person's sign-in with one browser or app.
public struct Session: Kind {
  /// The kind of secret with which the client identifies the session.
  public enum Transport: String, FieldChoice, Sendable {
    /// A browser's cookie.
    case cookie
    /// An app's access token, which a refresh token renews.
    case token
  }

  public var personID = UUIDv7(milliseconds: 0, first: 0, rest: 0)
  public var transport = Transport.cookie
  /// The client's name: the header `User-Agent`, at most 200 bytes; `nil` if the request had none.
  public var client: String?
  /// The network address from which the session's last request came; `nil` if unknown.
  public var address: String?
  /// Time of the session's last request, rounded to a minute.
  public var lastSeenAt = Timestamp(nanoseconds: 0)
  /// The time at which the session ends, even if it is in use.
  public var expiresAt = Timestamp(nanoseconds: 0)
  /// Time at which the person last proved their identity. Changes of factors, email addresses and roles require that
  /// this was recent.
  public var authenticatedAt = Timestamp(nanoseconds: 0)
  /// SHA-256 of the cookie or access token (``SecretHash/text``).
  public var secret = ""
  /// The time at which the access token expires; `nil` if the session has a cookie.
  public var secretExpiresAt: Timestamp?
  /// SHA-256 of the current refresh token; `nil` if the session has a cookie.
  public var refreshSecret: String?
  /// SHA-256 of the random text that all refresh tokens of the session share; `nil` if the session has a cookie. If an
  /// earlier version of the server created the session: SHA-256 of up to 8 used refresh tokens, then of the shared
  /// text, separated by spaces.
  public var usedRefreshSecrets: String?
  /// The time at which the session was revoked; `nil` if it was not.
  public var revokedAt: Timestamp?
  /// The identity at an OpenID provider with which the person signed in; `nil` if the person used another method.
  public var identityID: UUIDv7?
  /// The provider's identifier of its own session (`sid`); `nil` if the provider sent none.
  public var providerSession: String?
  /// Whether the session may only add a second factor, because the tenant requires one and the person has none.
  public var needsFactor = false

  public init() {}

  public static let isAudited = false
  public static let names = KindNames(one: "session", many: "sessions")
  public static let fields: [Field<Session>] = [
    Field("personId", \.personID).settable(by: .server).filterable(),
    Field("transport", \.transport).settable(by: .server),
    Field("client", \.client).settable(by: .server),
    Field("address", \.address).settable(by: .server),
    Field("lastSeenAt", \.lastSeenAt).settable(by: .server).sortable(),
    Field("expiresAt", \.expiresAt).settable(by: .server).sortable(),
    Field("authenticatedAt", \.authenticatedAt).settable(by: .server),
    Field("secret", \.secret).settable(by: .hidden),
    Field("secretExpiresAt", \.secretExpiresAt).settable(by: .hidden),
    Field("refreshSecret", \.refreshSecret).settable(by: .hidden),
    Field("usedRefreshSecrets", \.usedRefreshSecrets).settable(by: .hidden),
    Field("revokedAt", \.revokedAt).settable(by: .server).filterable(),
    Field("identityId", \.identityID).settable(by: .server),
    Field("providerSession", \.providerSession).settable(by: .hidden),
    Field("needsFactor", \.needsFactor).settable(by: .hidden),
  ]
}

/// The values of a session and its person that determine the session's permissions.
public struct SignedIn: Equatable, Sendable {
  public let session: UUIDv7
  public let person: UUIDv7
  public let roles: [PersonRole]
  public let scope: FleetScope
  /// Whether the person may read costs, even if no role allows it (``Person/mayReadCosts``).
  public let mayReadCosts: Bool
  public let transport: Session.Transport
  public let expiresAt: Timestamp
  public let authenticatedAt: Timestamp
  public let lastSeenAt: Timestamp
  /// Whether the session has ended or the person is not active.
  public let isRevoked: Bool
  /// Whether the session may only add a second factor.
  public let needsFactor: Bool

  public init(_ session: Stored<Session>, of person: Stored<Person>) {
    self.session = session.id
    self.person = person.id
    roles = person.value.roles
    scope = person.value.scope
    mayReadCosts = person.value.mayReadCosts
    transport = session.value.transport
    expiresAt = min(session.value.secretExpiresAt ?? session.value.expiresAt, session.value.expiresAt)
    authenticatedAt = session.value.authenticatedAt
    lastSeenAt = session.value.lastSeenAt
    isRevoked = session.value.revokedAt != nil || !person.value.isActive
    needsFactor = session.value.needsFactor
  }
}
