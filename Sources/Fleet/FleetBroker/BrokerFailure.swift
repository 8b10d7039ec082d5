import Failures

/// The reason why records cannot be received, on one line with the place.
public typealias BrokerFailure = PlacedError<BrokerFailureKind>

/// The kind of a ``BrokerFailure``.
public enum BrokerFailureKind: Sendable {
  /// A library is not installed.
  case missingLibrary
  /// The broker cannot be reached, or the connection was lost.
  case unreachable
  /// The broker refuses the login or an operation.
  case refused
  /// The database stores nothing: delivered messages go back to the broker.
  case storage
}
