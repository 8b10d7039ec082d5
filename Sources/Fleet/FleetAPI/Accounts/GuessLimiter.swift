import FleetAccess
import FleetDomain

/// Slows down guesses of passwords and codes.
///
/// Guesses are counted by account and by address. A browser in which the person has signed in before has a separate
/// limit for the account. Therefore, the owner can still sign in with that browser, or with a passkey, while others
/// guess.
final class GuessLimiter: Sendable {
  /// Wrong answers for one account: at once, and per second (one a minute).
  static let account = (burst: 10.0, perSecond: 1.0 / 60)
  /// Wrong answers from one address: at once, and per second.
  static let address = (burst: 50.0, perSecond: 0.5)

  private let accounts = RateLimiter<String>(perSecond: account.perSecond, burst: account.burst)
  private let addresses = RateLimiter<String>(perSecond: address.perSecond, burst: address.burst)

  /// An attempt that was admitted.
  struct Attempt: Sendable {
    fileprivate let account: String
    fileprivate let address: String
  }

  /// Admits an attempt. It counts as wrong until ``succeeded(_:)`` is called.
  ///
  /// - Parameters:
  ///   - account: any text that identifies the account.
  ///   - device: a proof that the person has signed in from this browser before; `nil` if there is none.
  ///   - client: the client's address.
  /// - Throws: 429.
  func admit(_ account: String, device: String?, from client: String?) throws(APIError) -> Attempt {
    // Use the hash, because clients choose the text and its length.
    let key = Secret.hash(of: account + (device.map { " " + $0 } ?? "")).text
    let attempt = Attempt(account: key, address: PeerAddress.group(client))
    if let seconds = accounts.take(attempt.account) { throw Self.refusal(seconds) }
    if let seconds = addresses.take(attempt.address) {
      accounts.refund(attempt.account)
      throw Self.refusal(seconds)
    }
    return attempt
  }

  /// Discards an attempt that succeeded.
  func succeeded(_ attempt: Attempt) {
    accounts.refund(attempt.account)
    addresses.refund(attempt.address)
  }

  private static func refusal(_ seconds: Int) -> APIError {
    APIError(
      .tooManyRequests, "tooManyAttempts", "too many wrong attempts to sign in; wait \(seconds) s", retryAfter: seconds)
  }
}
