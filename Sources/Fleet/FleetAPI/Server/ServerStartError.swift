/// The reason why the server cannot start, on one line, with its exit status of sysexits.h.
public struct ServerStartError: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Kind: Int32, Sendable {
    /// EX_UNAVAILABLE
    case unavailable = 69
    /// EX_CONFIG
    case badConfiguration = 78
  }

  public let kind: Kind
  public let description: String

  /// - Parameter description: the cause, the place, and the expected value.
  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
