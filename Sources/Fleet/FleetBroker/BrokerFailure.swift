/// The reason why records cannot be received, on one line with the place.
public struct BrokerFailure: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Kind: Equatable, Sendable {
    /// A library is not installed.
    case missingLibrary
    /// The broker cannot be reached, or the connection was lost.
    case unreachable
    /// The broker refuses the login or an operation.
    case refused
    /// The database stores nothing: delivered messages go back to the broker.
    case storage
  }

  public let kind: Kind
  /// The broker's address without the user, or the name of the storage.
  public let place: String
  public let detail: String

  public init(_ kind: Kind, _ place: String, _ detail: String) {
    self.kind = kind
    self.place = place
    self.detail = detail
  }

  public var description: String { "\(place): \(detail)" }
}
