import FleetAccess
import FleetDomain
import Telemetry

/// Limits the rate of guesses of passwords and codes.
///
/// Guesses are counted for each account and for each client address. An account has a separate limit for each browser
/// and address from which its owner has signed in before. Therefore the owner can still sign in from there, or with a
/// passkey, while other people guess.
///
/// Each attempt is counted in memory before it is checked, so that many simultaneous attempts cannot exceed the limit.
/// Wrong answers are also counted in the database, so that they count for all servers and after a restart.
final class GuessLimiter: Sendable {
  /// A limit of wrong attempts for one account or one client address.
  struct Rate: Sendable {
    /// The maximum number of attempts without a pause.
    let burst: Int
    /// The time between two further attempts after the first `burst` attempts, in s.
    let seconds: Int
  }

  static let account = Rate(burst: 10, seconds: 60)
  static let address = Rate(burst: 50, seconds: 2)
  /// The limit of wrong answers of OpenID providers. There is one count for all known browsers of a person, and one for
  /// each client address.
  static let callback = Rate(burst: 50, seconds: 2)

  private let accounts = RateLimiter<String>(account)
  private let addresses = RateLimiter<String>(address)
  private let callbacks = RateLimiter<String>(callback)

  /// An attempt that was admitted.
  struct Attempt: Sendable {
    /// The hash of the account and of a known browser or address.
    fileprivate let account: String
    fileprivate let address: String

    /// The counters in the database that the attempt concerns.
    fileprivate var counters: [(key: SecretHash, rate: Rate)] {
      [
        (Secret.hash(of: "guesses of account \(account)"), GuessLimiter.account),
        (Secret.hash(of: "guesses from address \(address)"), GuessLimiter.address),
      ]
    }
  }

  /// Admits an attempt to give a password or code. The attempt counts as wrong until ``succeeded(_:)`` is called for
  /// it.
  ///
  /// - Parameters:
  ///   - account: any text that identifies the account.
  ///   - origin: the browser or address from which the person has signed in before; `nil` if there is none.
  ///   - client: the client's address.
  /// - Throws: 429 if the limit of the account or of the address is reached.
  func admit(_ account: String, from origin: KnownOrigin?, at client: String?) throws(APIError) -> Attempt {
    // Store a hash, because clients determine the text and its length.
    let key = Secret.hash(of: account + (origin.map { " " + $0.text } ?? "")).text
    let attempt = Attempt(account: key, address: PeerAddress.group(client))
    if let seconds = accounts.consume(key) { throw Self.refusal(seconds) }
    if let seconds = addresses.consume(attempt.address) {
      accounts.refund(key)
      throw Self.refusal(seconds)
    }
    return attempt
  }

  /// Admits the answer of an OpenID provider, which a browser transmits. Such answers have a separate limit, because
  /// nobody can guess a password or code with them. The answer counts as wrong until ``callbackSucceeded(from:)`` is
  /// called.
  ///
  /// - Throws: 429 if the limit of the browser or of the address is reached.
  func admitCallback(from origin: CallbackOrigin) throws(APIError) {
    if let seconds = callbacks.consume(origin.name) { throw Self.refusal(seconds) }
  }

  /// Removes an answer of a provider from the counts, because it was accepted, or because its failure was not the
  /// client's fault.
  func callbackSucceeded(from origin: CallbackOrigin) { callbacks.refund(origin.name) }

  /// Removes an attempt from the counts, because no wrong password or code was given.
  func succeeded(_ attempt: Attempt) {
    accounts.refund(attempt.account)
    addresses.refund(attempt.address)
  }

  static func refusal(_ seconds: Int) -> APIError {
    APIError(
      .tooManyRequests, "tooManyAttempts", "too many wrong attempts to sign in; wait \(seconds) s", retryAfter: seconds)
  }
}

/// A browser or address from which a person has signed in before.
enum KnownOrigin: Sendable {
  /// A browser, by the proof in its cookie. The server gave the cookie to the browser at an earlier sign-in.
  case device(String)
  /// The hash of an address (``Person/knownAddresses``).
  case address(String)

  /// The part of a counter's name that distinguishes this origin from the account's other origins.
  fileprivate var text: String {
    switch self {
    case .device(let proof): proof
    case .address(let hash): "address \(hash)"
    }
  }
}

extension FleetView {
  /// Returns the number of seconds until another attempt is possible, according to the wrong answers that all servers
  /// have counted; `nil` if another attempt is possible now.
  func secondsUntilAllowed(
    _ attempt: GuessLimiter.Attempt, at time: Timestamp
  ) throws(ThingError) -> Int? {
    var longest = 0
    for (key, rate) in attempt.counters {
      guard let counter = try ticket(key, for: [.guesses], at: time) else { continue }
      let filled = counter.value.expiresAt.milliseconds - time.milliseconds
      // A counter that is too far in the future was stored before the clock was set back. Ignore it.
      guard filled <= Int64(rate.burst * rate.seconds * 1_000) else { continue }
      let wait = filled - Int64((rate.burst - 1) * rate.seconds * 1_000)
      if wait > 0 { longest = max(longest, Int((wait + 999) / 1_000)) }
    }
    return longest > 0 ? longest : nil
  }
}

extension FleetTransaction {
  /// Counts a wrong answer in the database, so that it counts for all servers.
  ///
  /// A counter is stored as the time at which the maximum number of attempts is possible again. Each wrong answer moves
  /// this time by ``GuessLimiter/Rate/seconds`` into the future. A counter whose time is in the past has no effect, and
  /// is removed like an expired ticket.
  func countWrong(_ attempt: GuessLimiter.Attempt) throws(ThingError) {
    for (key, rate) in attempt.counters {
      guard let counter = try first(ThingQuery<Ticket>(.oneOf(key: "secret", [.text(key.text)]))) else {
        try issueTicket(.guesses, key, of: nil, seconds: rate.seconds)
        continue
      }
      var moved = counter.value
      let full = now.adding(seconds: rate.burst * rate.seconds)
      let start = moved.expiresAt > full ? now : max(moved.expiresAt, now)
      moved.expiresAt = min(start.adding(seconds: rate.seconds), full)
      try update(counter, to: moved, action: "wrongAnswer")
    }
  }
}

extension RateLimiter<String> {
  fileprivate convenience init(_ rate: GuessLimiter.Rate) {
    self.init(perSecond: 1 / Double(rate.seconds), burst: Double(rate.burst))
  }
}
