import FleetAccess
import FleetDomain
import Synchronization
import Telemetry

/// Authenticates the sender of a request by its key or token.
///
/// The storage's answer is cached for ``memory``, so that a gateway that sends ten batches a second does not cause ten
/// look-ups. A key that another process revokes therefore remains valid for that time.
///
/// Valid keys must work even while a client at the same address tries many unknown keys. Therefore, the server looks up
/// every key. Only if the key is unknown does it check whether the client's address has tried too many unknown keys:
/// the answer is then 429 instead of 401. ``KeyLookups`` shares the capacity of the storage fairly among addresses.
final class Authenticator: Sendable {
  /// The time for which an answer is cached.
  static let memory = Duration.milliseconds(1_500)
  private static let capacity = 50_000

  private struct Entry {
    let identity: Identity?
    let time: ContinuousClock.Instant
  }

  private struct State {
    var entries: [SecretHash: Entry] = [:]
    /// For each tenant, the time at which this server last changed the tenant's keys.
    var changes: [TenantID: ContinuousClock.Instant] = [:]

    /// Whether a cached answer is still valid.
    func isGood(_ entry: Entry, at now: ContinuousClock.Instant) -> Bool {
      guard entry.time.duration(to: now) < Authenticator.memory else { return false }
      guard let tenant = entry.identity?.tenant, let change = changes[tenant] else { return true }
      return change < entry.time
    }
  }

  /// The number of unknown keys that one address may try: `burst` keys without a pause, and then `perSecond` keys in
  /// each second.
  static let strangers = (burst: 50.0, perSecond: 10.0)
  private let strangers: RateLimiter<String>
  /// Looks up credentials that only one route accepts. Unknown credentials and unknown keys count for the same limit
  /// (``strangers``).
  let owners: OwnerLookups
  private let lookups: KeyLookups
  private let state = Mutex(State())

  private let sessions: SessionActivity
  /// The times at which operators' tokens were last used.
  let tokens: TokenActivity
  let now: TimeSource

  init(
    storage: any FleetStorage, sessions: SessionActivity, tokens: TokenActivity,
    now: @escaping TimeSource = { WallClock.now }
  ) {
    self.now = now
    self.tokens = tokens
    strangers = RateLimiter(perSecond: Self.strangers.perSecond, burst: Self.strangers.burst)
    owners = OwnerLookups(strangers: strangers)
    lookups = KeyLookups(storage: storage)
    self.sessions = sessions
  }

  /// Returns the identity of the owner of a key or token.
  ///
  /// - Parameters:
  ///   - token: the key or token; `nil` if the request has none.
  ///   - address: the client's address; `nil` if unknown.
  /// - Throws: 401 if the token is unknown or revoked; 429 if the address has tried too many unknown keys; errors of
  ///   the storage.
  func identity(_ token: String?, from address: String?) async throws -> Identity {
    guard let token else {
      throw APIError(
        .unauthorized, "unauthorized", "this needs a key or a sign-in: send the header Authorization: Bearer KEY")
    }
    let hash = Secret.hash(of: token)
    let now = ContinuousClock.now
    let (known, isGood) = state.withLock { state in
      let known = state.entries[hash]
      return (known, known.map { state.isGood($0, at: now) } ?? false)
    }
    let found: Identity?
    if let known, isGood {
      found = known.identity
    } else {
      let stranger = known?.identity == nil ? PeerAddress.group(address) : nil
      found = try await lookups.principal(hash, stranger: stranger).map { Identity(principal: $0, key: hash) }
      remember(found, of: hash, at: now)
      if found == nil, let seconds = strangers.consume(PeerAddress.group(address)) {
        throw Self.tooManyStrangers(seconds)
      }
    }
    guard let found else {
      throw APIError(.unauthorized, "unauthorized", "the key is not known here")
    }
    guard !found.isRevoked else {
      throw found.signedIn == nil
        ? APIError(.unauthorized, "revoked", "the key was revoked; ask for a new one")
        : APIError(.unauthorized, "sessionEnded", "the session has ended; sign in again")
    }
    if let token = found.token {
      guard !token.hasExpired(at: self.now()) else {
        throw APIError(.unauthorized, "expired", "the token has expired; ask for a new one")
      }
      tokens.record(token, found.tenant)
    }
    if let signedIn = found.signedIn { try sessions.admit(signedIn, found.tenant, from: address) }
    return found
  }

  /// Records a use of a session without an HTTP request. Does nothing for a key or token.
  ///
  /// - Throws: 401 if the session has ended.
  func recordUse(of identity: Identity, from address: String?) throws(APIError) {
    if let signedIn = identity.signedIn { try sessions.admit(signedIn, identity.tenant, from: address) }
  }

  /// Returns the time at which a session or token ends if it is not used again; `nil` if it has no end. The uses that
  /// other servers have recorded are not considered.
  func end(of identity: Identity) -> Timestamp? {
    identity.signedIn.map { sessions.end(of: $0) } ?? identity.token?.expiresAt
  }

  /// Looks up a session or token in the storage, and returns its owner with the present rights; `nil` if it was
  /// revoked, has ended, or its secret was replaced.
  func current(_ identity: Identity) async throws -> Identity? {
    guard let found = try await lookups.principal(identity.key, stranger: nil) else { return nil }
    let current = Identity(principal: found, key: identity.key)
    return current.isRevoked ? nil : current
  }

  /// Looks up a session or token in the storage, and returns the time at which it ends if it is not used again. The
  /// uses that other servers have recorded are considered.
  ///
  /// - Returns: a time in the past if it was revoked or its secret was replaced; `nil` if it has no end.
  func currentEnd(of identity: Identity) async throws -> Timestamp? {
    guard let current = try await current(identity) else { return Timestamp(nanoseconds: 0) }
    return end(of: current)
  }

  /// Returns the error 429: an address has tried too many unknown keys.
  static func tooManyStrangers(_ seconds: Int) -> APIError {
    APIError(
      .tooManyRequests, "tooManyRequests", "more unknown keys than one address may try; wait \(seconds) s",
      retryAfter: seconds)
  }

  /// Adds an answer of the storage to the cache.
  ///
  /// - Parameter time: a time before the look-up began. If keys of the tenant were changed after this time, the answer
  ///   is not used.
  private func remember(_ identity: Identity?, of hash: SecretHash, at time: ContinuousClock.Instant) {
    state.withLock { state in
      if state.entries.count >= Self.capacity { state.entries = state.entries.filter { $0.value.identity != nil } }
      if state.entries.count >= Self.capacity {
        state.entries = state.entries.filter { $0.value.time.duration(to: time) < Self.memory }
      }
      // Do not displace known keys from the cache by unknown ones.
      guard identity != nil || state.entries.count < Self.capacity else { return }
      state.entries[hash] = Entry(identity: identity, time: time)
    }
  }

  /// Discards the cached keys of a tenant, because they were changed.
  func forget(_ tenant: TenantID) { state.withLock { $0.changes[tenant] = .now } }
}
