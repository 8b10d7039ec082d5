/// Computes delays between attempts: exponential back-off with full jitter, so that a fleet does not reconnect to a
/// recovered server all at once. It uses no clock and no random generator of its own.
///
///     var backOff = BackOff()
///     let delay = backOff.failed(using: &random)        // ns, up to 1 s, then 2 s, 4 s … 300 s
///     backOff.succeeded()
public struct BackOff: Sendable {
  /// Upper limit of the first delay, ns. It doubles with each further failure.
  public var first: Int64
  /// Upper limit of all delays, ns.
  public var longest: Int64
  /// Number of consecutive failures.
  public private(set) var failures = 0

  /// Creates a back-off without failures; the parameters are the properties of the same names.
  public init(first: Int64 = 1_000_000_000, longest: Int64 = 300_000_000_000) {
    self.first = first
    self.longest = longest
  }

  /// Records a success: the next delay is a first one.
  public mutating func succeeded() { failures = 0 }

  /// Records a failure.
  ///
  /// - Parameters:
  ///   - asked: delay that the peer asked for, ns; `nil` if none. The result is at least that and spread over a tenth
  ///     more.
  /// - Returns: the delay, ns.
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

  /// Returns a uniformly distributed delay up to a limit, from one random number.
  private static func upTo(_ ceiling: Int64, using random: inout some RandomNumberGenerator) -> Int64 {
    Int64(random.next().multipliedFullWidth(by: UInt64(ceiling) + 1).high)
  }

  /// Longest delay that a peer may ask for, ns: a day.
  static let longestAsked: Int64 = 86_400_000_000_000
}

extension Int64 {
  fileprivate func multipliedOrMax(by other: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}
