import FleetAccess
import FleetDomain

/// Limits how fast passwords and codes can be guessed.
///
/// Wrong answers are counted for each account and for each address. A browser in which the person has signed in before
/// has a separate count for the account. Therefore, while others guess, the owner can still sign in with that browser,
/// or with a passkey.
final class GuessLimiter: Sendable {
  /// Number of wrong answers for one account: at once, and per second afterwards (one a minute).
  static let account = (burst: 10.0, perSecond: 1.0 / 60)
  /// Number of wrong answers from one address: at once, and per second afterwards.
  static let address = (burst: 50.0, perSecond: 0.5)

  private let accounts = RateLimiter<String>(perSecond: account.perSecond, burst: account.burst)
  private let addresses = RateLimiter<String>(perSecond: address.perSecond, burst: address.burst)

  /// An attempt that was admitted.
  struct Attempt: Sendable {
    fileprivate let account: String
    fileprivate let address: String
  }

  /// Admits an attempt. It counts as wrong unless ``succeeded(_:)`` is called for it.
  ///
  /// - Parameters:
  ///   - account: any text that identifies the account.
  ///   - device: a proof that the person has signed in from this browser before; `nil` if there is none.
  ///   - client: the client's address.
  /// - Throws: 429.
  func admit(_ account: String, device: String?, from client: String?) throws(APIError) -> Attempt {
    // Store a hash, because clients choose the text and its length.
    let key = Secret.hash(of: account + (device.map { " " + $0 } ?? "")).text
    let attempt = Attempt(account: key, address: PeerAddress.group(client))
    if let seconds = accounts.take(attempt.account) { throw Self.refusal(seconds) }
    if let seconds = addresses.take(attempt.address) {
      accounts.refund(attempt.account)
      throw Self.refusal(seconds)
    }
    return attempt
  }

  /// Removes an attempt from the counts, because it succeeded.
  func succeeded(_ attempt: Attempt) {
    accounts.refund(attempt.account)
    addresses.refund(attempt.address)
  }

  private static func refusal(_ seconds: Int) -> APIError {
    APIError(
      .tooManyRequests, "tooManyAttempts", "too many wrong attempts to sign in; wait \(seconds) s", retryAfter: seconds)
  }
}
