/// The delays between attempts to send something. The delay begins with ``first`` and doubles with each further
/// failure, up to ``longest``.
public struct RetryDelay: Sendable {
  /// The delay after the first failure, s.
  public let first: Int
  /// The longest delay, s.
  public let longest: Int

  public init(first: Int, longest: Int) { (self.first, self.longest) = (first, longest) }

  /// Delays for mails: at first a minute, at most six hours.
  public static let mail = RetryDelay(first: 60, longest: 6 * 3_600)
  /// Delays for connectors and forwards: at first half a minute, at most an hour.
  public static let records = RetryDelay(first: 30, longest: 3_600)
  /// Delays for webhooks and push messages: at first five seconds, at most an hour.
  public static let events = RetryDelay(first: 5, longest: 3_600)

  /// Returns the time from a failed attempt to the next one, s.
  ///
  /// - Parameter failures: the number of failures since the last success, at least 1.
  public func seconds(after failures: Int64) -> Int { min(first << Int(min(max(failures, 1) - 1, 16)), longest) }
}
