/// Why the daemon cannot start: one text line, and the exit status of sysexits.h.
public struct StartError: Error, Sendable, CustomStringConvertible {
  public enum Kind: Int32, Sendable {
    /// EX_NOINPUT: a file is missing.
    case missing = 66
    /// EX_UNAVAILABLE
    case unavailable = 69
    /// EX_IOERR: a file cannot be read.
    case unreadable = 74
    /// EX_CONFIG
    case badConfiguration = 78
  }

  public let kind: Kind
  public let description: String

  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
