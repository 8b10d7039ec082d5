import FleetAccess
import FleetDomain

/// Slows down guesses of passwords and codes.
///
/// Guesses count for the account, and for the client's address. A browser from which the person has signed in before has
/// a bucket of its own for the account: while strangers guess, the owner still gets in with it, or with a passkey.
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

  /// Admits an attempt, which counts as wrong until ``succeeded(_:)``.
  ///
  /// - Parameters:
  ///   - account: any text that stands for the account.
  ///   - device: a proof that the person has signed in from this browser before; `nil` if there is none.
  ///   - client: the client's address.
  /// - Throws: 429.
  func admit(_ account: String, device: String?, from client: String?) throws(APIError) -> Attempt {
    // The hash: a client chooses the text, and its length.
    let key = Secret.hash(of: account + (device.map { " " + $0 } ?? "")).text
    let attempt = Attempt(account: key, address: PeerAddress.group(client))
    if let seconds = accounts.take(attempt.account) { throw Self.refusal(seconds) }
    if let seconds = addresses.take(attempt.address) {
      accounts.giveBack(attempt.account)
      throw Self.refusal(seconds)
    }
    return attempt
  }

  /// Forgets an attempt whose answer was right.
  func succeeded(_ attempt: Attempt) {
    accounts.giveBack(attempt.account)
    addresses.giveBack(attempt.address)
  }

  private static func refusal(_ seconds: Int) -> APIError {
    APIError(
      .tooManyRequests, "tooManyAttempts", "too many wrong attempts to sign in; wait \(seconds) s", retryAfter: seconds)
  }
}
