import FleetDomain
import Synchronization

/// Who a token belongs to. What the storage says is remembered for a moment, so that a gateway that sends ten batches a
/// second is not looked up ten times; a key that is revoked through another process is good for that moment longer. Keys
/// that were somebody's a while ago are always looked up; of all others each address has a bucket of look-ups, so that
/// who tries keys does not keep the database from those that have one.
final class Authenticator: Sendable {
  /// How long an answer is good for.
  static let memory = Duration.seconds(2)
  private static let capacity = 50_000

  private struct Entry {
    let identity: Identity?
    let time: ContinuousClock.Instant
  }

  private let storage: any FleetStorage
  /// Look-ups of unknown keys: so many at once, and so many a second.
  static let strangers = (burst: 50.0, perSecond: 10.0)
  private let strangers = RateLimiter<String>(perSecond: strangers.perSecond, burst: strangers.burst)
  private let entries = Mutex<[SecretHash: Entry]>([:])

  init(storage: any FleetStorage) { self.storage = storage }

  /// - Parameters:
  ///   - token: nil: the request has none.
  ///   - address: where it comes from; all that have none share one bucket.
  /// - Throws: 401 where the token is nobody's or was revoked; 429; what the storage throws.
  func identity(_ token: String?, from address: String?) async throws -> Identity {
    guard let token else {
      throw APIError(.unauthorized, "unauthorized", "this needs a key: send the header Authorization: Bearer KEY")
    }
    let hash = Secret.hash(of: token)
    let now = ContinuousClock.now
    let known = entries.withLock { $0[hash] }
    let found: Identity?
    if let known, known.time.duration(to: now) < Self.memory {
      found = known.identity
    } else {
      let stranger = known?.identity == nil ? address ?? "" : nil
      if let stranger, let seconds = strangers.take(stranger) { throw Self.tooManyStrangers(seconds) }
      found = try await storage.principal(hash).map { Identity(principal: $0, key: hash) }
      if let stranger, found != nil { strangers.giveBack(stranger) }
      entries.withLock { entries in
        if entries.count >= Self.capacity { entries = entries.filter { $0.value.identity != nil } }
        if entries.count >= Self.capacity { entries = entries.filter { $0.value.time.duration(to: now) < Self.memory } }
        // Keys that are nobody's must not push out those that are somebody's.
        if found != nil || entries.count < Self.capacity { entries[hash] = Entry(identity: found, time: now) }
      }
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

  /// Keys have changed: each is looked up anew. Those that were somebody's are still no strangers.
  func forget() {
    let time = ContinuousClock.now - Self.memory
    entries.withLock { entries in
      entries = entries.compactMapValues { entry in entry.identity.map { Entry(identity: $0, time: time) } }
    }
  }
}
