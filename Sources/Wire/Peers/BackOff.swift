/// Computes the delays between attempts: they grow exponentially and are random, so that the vehicles of a fleet do not
/// all reconnect at the same time after a server has recovered. The caller provides the random generator. No clock is
/// used.
///
///     var backOff = BackOff()
///     let delay = backOff.failed(using: &random)        // ns, up to 1 s, then 2 s, 4 s … 300 s
///     backOff.succeeded()
public struct BackOff: Sendable {
  /// Upper limit of the first delay, ns. The limit doubles with each further failure.
  public var first: Int64
  /// The value at which the upper limit of the delay stops growing, ns.
  public var longest: Int64
  /// Number of consecutive failures since the last success.
  public private(set) var failures = 0

  /// Creates a back-off without failures; the parameters are the properties of the same names.
  public init(first: Int64 = 1_000_000_000, longest: Int64 = 300_000_000_000) {
    self.first = first
    self.longest = longest
  }

  /// Records a success. The delay after the next failure is again limited by ``first``.
  public mutating func succeeded() { failures = 0 }

  /// Records a failure.
  ///
  /// - Parameters:
  ///   - asked: delay that the server or broker asked for, ns; `nil` if it asked for none. A delay of more than a day
  ///     counts as a day. If the server or broker asked for a delay, the result is at least this delay plus a random
  ///     time of at most ``first`` plus 10 % of the delay.
  /// - Returns: the delay until the next attempt, ns.
  public mutating func failed(
    asked: Int64? = nil, using random: inout some RandomNumberGenerator
  ) -> Int64 {
    let ceiling = failures >= 32 ? longest : min(longest, first.multipliedOrMax(by: 1 << Int64(failures)))
    failures += 1
    let own = Self.upTo(ceiling, using: &random)
    guard let asked else { return own }
    let wait = min(max(asked, 0), Self.longestAsked)
    return max(own, wait &+ Self.upTo(wait / 10 &+ first, using: &random))
  }

  /// Returns a random delay from 0 to a limit, uniformly distributed.
  private static func upTo(_ ceiling: Int64, using random: inout some RandomNumberGenerator) -> Int64 {
    Int64(random.next().multipliedFullWidth(by: UInt64(ceiling) + 1).high)
  }

  /// Maximum delay that a server or broker may ask for, ns: a day.
  static let longestAsked: Int64 = 86_400_000_000_000
}

extension Int64 {
  fileprivate func multipliedOrMax(by other: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}
