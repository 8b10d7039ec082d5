/// Why the server cannot start; one line for people, and the status of sysexits.h.
public struct ServerStartError: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Kind: Int32, Sendable {
    /// EX_UNAVAILABLE
    case unavailable = 69
    /// EX_CONFIG
    case badConfiguration = 78
  }

  public let kind: Kind
  public let description: String

  /// - Parameter description: what, where, what would be right.
  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
