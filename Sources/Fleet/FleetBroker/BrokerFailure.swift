import Failures

/// The reason why records cannot be received, and the place of the error, as one line of text.
public typealias BrokerFailure = PlacedError<BrokerFailureKind>

/// The kind of a ``BrokerFailure``.
public enum BrokerFailureKind: Sendable {
  /// A library is not installed.
  case missingLibrary
  /// The broker cannot be reached, or the connection was lost.
  case unreachable
  /// The broker refuses the login or an operation.
  case refused
  /// The database cannot store records, so the broker must deliver the messages again.
  case storage
}
