import FleetAccess
import FleetDomain
import Synchronization

/// Looks up the owners of credentials that only one route accepts, such as the keys of phones.
///
/// A credential that was valid at its last look-up is looked up without a limit. In the fair queues of the storage, the
/// look-up counts as work of the owner's tenant.
///
/// Any other credential may come from an attacker. It is handled in these steps:
/// - It is counted as an unknown key of the client's address. If the address has tried too many unknown keys
///   (``Authenticator/strangers``), the request is rejected.
/// - It is looked up. In the fair queues of the storage, the look-up counts as work of clients without a key.
/// - If it is valid, it is subtracted from the count again.
///
/// So a flood of unknown keys causes only a limited number of look-ups, and phones at the same address are still
/// served.
final class OwnerLookups: Sendable {
  /// Credentials that were valid at their last look-up. If there are too many, those that were not used recently are
  /// forgotten. A forgotten credential is looked up like a new one.
  private struct Known {
    static let capacity = 50_000
    private var recent: [SecretHash: CredentialOwner] = [:]
    private var older: [SecretHash: CredentialOwner] = [:]

    subscript(_ hash: SecretHash) -> CredentialOwner? { recent[hash] ?? older[hash] }

    mutating func add(_ owner: CredentialOwner, _ hash: SecretHash) {
      if recent.count >= Self.capacity / 2, recent[hash] == nil { (older, recent) = (recent, [:]) }
      recent[hash] = owner
    }

    mutating func remove(_ hash: SecretHash) {
      recent[hash] = nil
      older[hash] = nil
    }
  }

  private let strangers: RateLimiter<String>
  private let known = Mutex(Known())

  /// Creates an object without known credentials.
  ///
  /// - Parameter strangers: the rate limit of unknown credentials, for each client address.
  init(strangers: RateLimiter<String>) { self.strangers = strangers }

  /// Finds the first of several credentials that is valid. Credentials that were valid recently are tried first.
  ///
  /// - Parameters:
  ///   - credentials: the texts in a request that may be the credential.
  ///   - address: the client's address; `nil` if unknown.
  ///   - owner: returns the owner of the credential, from the result of `look`.
  ///   - look: looks a credential up in the storage; returns `nil` if it is unknown.
  /// - Returns: what `look` has found; `nil` if no credential is valid.
  /// - Throws: 429 if the address has tried too many unknown credentials; errors of `look`.
  func first<Found: Sendable>(
    of credentials: [String], from address: String?, owner: (Found) -> CredentialOwner,
    _ look: (String) async throws -> Found?
  ) async throws -> Found? {
    let group = PeerAddress.group(address)
    var unknown: [(text: String, hash: SecretHash)] = []
    for text in credentials {
      let hash = Secret.hash(of: text)
      guard let present = known.withLock({ $0[hash] }) else {
        unknown.append((text, hash))
        continue
      }
      let found = try await StorageCaller.$current.withValue(present.storageCaller) { try await look(text) }
      if let found {
        known.withLock { $0.add(owner(found), hash) }
        return found
      }
      // The credential was revoked. From now on, it counts as unknown.
      known.withLock { $0.remove(hash) }
    }
    var counted = 0
    for (text, hash) in unknown {
      if let seconds = strangers.consume(group) { throw Authenticator.tooManyStrangers(seconds) }
      counted += 1
      let found = try await StorageCaller.$current.withValue(.stranger(Secret.hash(of: group))) {
        try await look(text)
      }
      guard let found else { continue }
      for _ in 0..<counted { strangers.refund(group) }
      known.withLock { $0.add(owner(found), hash) }
      return found
    }
    return nil
  }
}
