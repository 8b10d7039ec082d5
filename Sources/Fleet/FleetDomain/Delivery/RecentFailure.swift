import Telemetry

/// A failure of a connection to another program. The connection's settings show the most recent failures.
public struct RecentFailure: NestedValue {
  /// Maximum number of failures that are stored for one connection.
  public static let most = 10

  public var at = Timestamp(nanoseconds: 0)
  public var message = ""

  public init() {}

  public init(at: Timestamp, message: String) { (self.at, self.message) = (at, message) }

  public static let fields: [Field<RecentFailure>] = [
    Field("at", \.at).required(), Field("message", \.message).required(),
  ]

  /// Returns a list of failures with a new one at its beginning, shortened to ``most`` failures.
  public static func adding(_ message: String, at time: Timestamp, to failures: [Self]) -> [Self] {
    Array(([Self(at: time, message: String(message.prefix(300)))] + failures).prefix(most))
  }
}
