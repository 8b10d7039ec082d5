import FleetDomain
import Telemetry

/// The data of a new session.
public struct NewSession: Sendable {
  public var transport: Session.Transport
  /// The hash of the cookie or access token.
  public var secret: SecretHash
  /// The hash of the refresh token; `nil` for a cookie.
  public var refreshSecret: SecretHash?
  /// The hash of the refresh tokens' family; `nil` for a cookie.
  public var refreshFamily: SecretHash?
  /// The client's own name, from the header `User-Agent`; `nil` if the request has none.
  public var client: String?
  public var address: String?
  /// The hash of the client's network address (``Person/knownAddresses``); `nil` if the address is unknown.
  public var addressHash: String?
  /// The identity at an OpenID provider with which the person signed in; `nil` for any other sign-in.
  public var identity: UUIDv7?
  /// The provider's own identifier of its session; `nil` if the provider sent none.
  public var providerSession: String?
  /// Whether the session is restricted to adding a second factor.
  public var needsFactor: Bool

  public init(
    transport: Session.Transport, secret: SecretHash, refreshSecret: SecretHash? = nil,
    refreshFamily: SecretHash? = nil, client: String?, address: String?, addressHash: String? = nil,
    identity: UUIDv7? = nil, providerSession: String? = nil,
    needsFactor: Bool = false
  ) {
    self.needsFactor = needsFactor
    self.addressHash = addressHash
    self.identity = identity
    self.providerSession = providerSession
    self.transport = transport
    self.secret = secret
    self.refreshSecret = refreshSecret
    self.refreshFamily = refreshFamily
    self.client = client
    self.address = address
  }
}

extension FleetTransaction {
  /// Begins a session, and writes the sign-in to the audit.
  ///
  /// - Parameter id: ID of the session, which is part of a refresh token.
  /// - Returns: the new session, and the ID of an older session that was ended because the person had too many; `nil`
  ///   if none was ended.
  public func beginSession(
    _ new: NewSession, id: UUIDv7, of person: Stored<Person>, _ limits: SessionLimits
  ) throws(ThingError) -> (session: Stored<Session>, displaced: UUIDv7?) {
    let displaced = try makeRoomForSession(of: person.id)
    var session = Session()
    session.personID = person.id
    session.transport = new.transport
    session.client = new.client
    session.address = new.address
    session.identityID = new.identity
    session.providerSession = new.providerSession
    session.needsFactor = new.needsFactor
    session.lastSeenAt = now
    session.authenticatedAt = now
    session.secret = new.secret.text
    session.refreshSecret = new.refreshSecret?.text
    session.usedRefreshSecrets = new.refreshFamily?.text
    session.expiresAt = now.adding(seconds: new.transport == .cookie ? limits.seconds : limits.appSeconds)
    if new.transport == .token { session.secretExpiresAt = now.adding(seconds: limits.accessSeconds) }
    var seen = person.value
    seen.lastSeenAt = now
    if let hash = new.addressHash { seen.remember(address: hash) }
    try update(person, to: seen, action: "signIn")
    return (try insert(session, id: id, action: "create"), displaced)
  }

  /// Gives a session all rights of its person, after the person has added a second factor.
  public func allowEverything(to id: UUIDv7) throws(ThingError) {
    let session = try existing(id, Session.self)
    var allowed = session.value
    allowed.needsFactor = false
    try update(session, to: allowed, action: "addFactor")
  }

  /// Ends a session.
  ///
  /// - Parameter action: name of the action for the audit, such as `signOut`.
  public func endSession(_ session: Stored<Session>, action: String) throws(ThingError) {
    guard session.value.revokedAt == nil else { return }
    var ended = session.value
    ended.revokedAt = now
    ended.refreshSecret = nil
    try update(session, to: ended, action: action)
    try removeSubscriptions(.oneOf(key: "sessionId", [session.id.json]), action: action)
    try announceEnd(of: [session.id])
    try record(action, kind: "session", thing: session.id, details: ["personId": session.value.personID.json])
  }

  /// Ends all sessions of a person.
  ///
  /// - Parameters:
  ///   - other: a session to keep; `nil` for none.
  ///   - action: name of the action for the audit, such as `deactivate`.
  /// - Returns: the sessions that ended.
  @discardableResult
  public func endSessions(
    of person: UUIDv7, except other: UUIDv7? = nil, action: String
  ) throws(ThingError) -> [UUIDv7] {
    var ended: [UUIDv7] = []
    while true {
      let page = try list(
        ThingQuery<Session>(
          .oneOf(key: "personId", [person.json]), .oneOf(key: "revokedAt", [.null]), order: [.init("createdAt")],
          limit: 1_000)
      ).items.filter { $0.id != other }
      guard !page.isEmpty else { return ended }
      for session in page {
        try endSession(session, action: action)
        ended.append(session.id)
      }
    }
  }

  /// Returns the sessions of a person that have not ended.
  public func activeSessions(of person: UUIDv7) throws(ThingError) -> [UUIDv7] {
    try list(
      ThingQuery<Session>(
        .oneOf(key: "personId", [person.json]), .oneOf(key: "revokedAt", [.null]), limit: 1_000)
    ).items.map(\.id)
  }

  /// Replaces the tokens of an app with new ones.
  ///
  /// - Parameters:
  ///   - presented: the hash of the refresh token that the app sent.
  ///   - family: the hash of the refresh token's family; `nil` if the token has none.
  ///   - refresh: the new refresh token.
  ///   - secret: the hash of the new access token.
  /// - Returns: the session; `nil` if the app did not send the session's current refresh token. If the app sent an
  ///   earlier token of the session, the token was probably stolen, so the session is ended; the caller must commit
  ///   this change. If the session never had the token, nothing changes, because anyone who knows the session's ID can
  ///   invent such a token.
  public func renewSession(
    _ session: Stored<Session>, presented: SecretHash, of family: SecretHash?, by refresh: Secret, secret: SecretHash,
    address: String?, _ limits: SessionLimits
  ) throws(ThingError) -> Stored<Session>? {
    let used = (session.value.usedRefreshSecrets ?? "").split(separator: " ").map(String.init)
    guard session.value.refreshSecret == presented.text else {
      if used.contains(presented.text) || family.map({ used.contains($0.text) }) ?? false {
        try endSession(session, action: "refreshTokenReused")
      }
      return nil
    }
    var renewed = session.value
    // A session of an earlier version has no family. Its used tokens are kept until it ends.
    if family == nil {
      let all = used + [presented.text, refresh.family?.text].compactMap { $0 }
      renewed.usedRefreshSecrets = all.joined(separator: " ")
    }
    renewed.secret = secret.text
    renewed.refreshSecret = refresh.hash.text
    renewed.secretExpiresAt = now.adding(seconds: limits.accessSeconds)
    renewed.lastSeenAt = now
    renewed.address = address
    return try update(session, to: renewed, action: "renew")
  }

  /// Maximum number of sessions of one person.
  private static var mostSessions: Int { 100 }

  /// Removes the sessions of a person that have ended. If the person then still has ``mostSessions`` sessions, ends the
  /// session that was used least recently, and returns its ID; otherwise returns `nil`.
  private func makeRoomForSession(of person: UUIDv7) throws(ThingError) -> UUIDv7? {
    let all = try list(
      ThingQuery<Session>(
        .oneOf(key: "personId", [person.json]), order: [.init("lastSeenAt")], limit: Self.mostSessions + 1)
    ).items
    let over = all.filter { $0.value.revokedAt != nil || $0.value.expiresAt <= now }
    for session in over { try remove(session, action: "remove") }
    guard all.count - over.count >= Self.mostSessions, let oldest = all.first(where: { !over.contains($0) }) else {
      return nil
    }
    try endSession(oldest, action: "tooManySessions")
    if let ended = try find(oldest.id, Session.self) { try remove(ended, action: "remove") }
    return oldest.id
  }
}
