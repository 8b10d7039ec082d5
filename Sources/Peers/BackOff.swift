/// How long to wait after a failure: exponential, with full jitter, so that a fleet that lost its server does not come
/// back to it in one moment. No clock and no random numbers of its own.
public struct BackOff: Sendable {
  /// The first wait is shorter than this, each further one may be twice as long, ns.
  public var first: Int64
  /// No wait is longer than this, ns.
  public var longest: Int64
  /// Failures in a row.
  public private(set) var failures = 0

  public init(first: Int64 = 1_000_000_000, longest: Int64 = 300_000_000_000) {
    self.first = first
    self.longest = longest
  }

  /// It worked: the next wait is a first one.
  public mutating func succeeded() { failures = 0 }

  /// It failed.
  ///
  /// - Parameters:
  ///   - asked: how long the peer asks to be left alone, ns; the wait is no shorter, and spread over a tenth more.
  /// - Returns: how long to wait, ns.
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

  /// A share of the ceiling, all alike; one random number gives one wait.
  private static func upTo(_ ceiling: Int64, using random: inout some RandomNumberGenerator) -> Int64 {
    Int64(random.next().multipliedFullWidth(by: UInt64(ceiling) + 1).high)
  }

  /// A peer that asks for more is not believed: a day.
  static let longestAsked: Int64 = 86_400_000_000_000
}

extension Int64 {
  fileprivate func multipliedOrMax(by other: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}
