/// Why records cannot be taken now. One line for people: what kind, where, what.
public struct BrokerFailure: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Kind: Equatable, Sendable {
    /// A library is not installed.
    case missingLibrary
    /// The broker cannot be reached, or the connection broke.
    case unreachable
    /// The broker does not let us in, or not do what we ask of it.
    case refused
    /// The database takes nothing: what was handed over goes back to the broker.
    case storage
  }

  public let kind: Kind
  /// The broker's address without user, or what the storage calls itself.
  public let place: String
  public let detail: String

  public init(_ kind: Kind, _ place: String, _ detail: String) {
    self.kind = kind
    self.place = place
    self.detail = detail
  }

  public var description: String { "\(place): \(detail)" }
}
