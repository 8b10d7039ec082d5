import FleetDomain
import Synchronization

/// Who a token belongs to. The storage's answer is remembered for a moment, so that a gateway that sends ten batches a
/// second is not looked up ten times. A key that is revoked through another process is good for that moment longer.
///
/// A valid key never waits behind strangers: every key is looked up, and only then an address that tries keys of nobody is
/// told to wait (``KeyLookups`` says how lookups share the storage).
final class Authenticator: Sendable {
  /// How long an answer is good for.
  static let memory = Duration.seconds(2)
  private static let capacity = 50_000

  private struct Entry {
    let identity: Identity?
    let time: ContinuousClock.Instant
  }

  private struct State {
    var entries: [SecretHash: Entry] = [:]
    /// When keys of a tenant have changed last.
    var changes: [TenantID: ContinuousClock.Instant] = [:]

    /// Whether an answer is still good.
    func isGood(_ entry: Entry, at now: ContinuousClock.Instant) -> Bool {
      guard entry.time.duration(to: now) < Authenticator.memory else { return false }
      guard let tenant = entry.identity?.tenant, let change = changes[tenant] else { return true }
      return change < entry.time
    }
  }

  /// Keys of nobody that one address may try: so many at once, and so many a second.
  static let strangers = (burst: 50.0, perSecond: 10.0)
  private let strangers = RateLimiter<String>(perSecond: strangers.perSecond, burst: strangers.burst)
  private let lookups: KeyLookups
  private let state = Mutex(State())

  init(storage: any FleetStorage) { lookups = KeyLookups(storage: storage) }

  /// - Parameters:
  ///   - token: nil: the request has none.
  ///   - address: the address that it comes from; `nil`: unknown.
  /// - Throws: 401 where the token is nobody's or was revoked; 429; what the storage throws.
  func identity(_ token: String?, from address: String?) async throws -> Identity {
    guard let token else {
      throw APIError(.unauthorized, "unauthorized", "this needs a key: send the header Authorization: Bearer KEY")
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
      if found == nil, let seconds = strangers.take(PeerAddress.group(address)) { throw Self.tooManyStrangers(seconds) }
    }
    guard let found else {
      throw APIError(.unauthorized, "unauthorized", "the key in the header Authorization is not known here")
    }
    guard !found.isRevoked else {
      throw APIError(.unauthorized, "revoked", "the key in the header Authorization was revoked; ask for a new one")
    }
    return found
  }

  private static func tooManyStrangers(_ seconds: Int) -> APIError {
    APIError(
      .tooManyRequests, "tooManyRequests", "more unknown keys than one address may try; wait \(seconds) s",
      retryAfter: seconds)
  }

  /// - Parameter time: before the key was looked up.
  private func remember(_ identity: Identity?, of hash: SecretHash, at time: ContinuousClock.Instant) {
    state.withLock { state in
      if state.entries.count >= Self.capacity { state.entries = state.entries.filter { $0.value.identity != nil } }
      if state.entries.count >= Self.capacity {
        state.entries = state.entries.filter { $0.value.time.duration(to: time) < Self.memory }
      }
      // Keys of nobody must not push out keys of somebody.
      guard identity != nil || state.entries.count < Self.capacity else { return }
      state.entries[hash] = Entry(identity: identity, time: time)
    }
  }

  /// Keys of a tenant have changed: each is looked up again. Keys of other tenants are as they were.
  func forget(_ tenant: TenantID) { state.withLock { $0.changes[tenant] = .now } }
}
