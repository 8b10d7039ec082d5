import Failures

/// The reason why a page was not pulled. Its text contains no secret and can be shown to people.
typealias ConnectorError = PlacedError<ConnectorErrorKind>

/// The kind of a ``ConnectorError``.
enum ConnectorErrorKind: Hashable, Sendable {
  /// The secret is rejected.
  case refused
  /// The service demands a pause. The value is the length of the pause; `nil` if the service does not name it.
  case rateLimited(seconds: Double?)
  /// The service no longer accepts the cursor.
  case cursorExpired
  /// The vehicle is asleep, so the service has no current values.
  case asleep
  /// The service or the network is not available now.
  case unavailable
  /// The answer does not match the service's documentation.
  case malformed
  /// A setting of the connector is missing or invalid.
  case settings
}
