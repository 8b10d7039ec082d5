/// Why the spool cannot use its file. One line for people: which, what.
public struct SpoolError: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Kind: Sendable {
    /// No space is left on the file system, or for this user.
    case full
    /// The file system takes no writes.
    case readOnly
    /// The file is no spool, or not a sound one.
    case damaged
    /// Another process has the spool.
    case inUse
    /// Anything else that the system said.
    case system
  }
  public let kind: Kind
  /// The file or folder.
  public let path: String
  /// What went wrong, without the path.
  public let detail: String

  public init(_ kind: Kind, _ path: String, _ detail: String) {
    self.kind = kind
    self.path = path
    self.detail = detail
  }

  public var description: String { "\(path): \(detail)" }

  init(_ error: SQLiteError, _ path: String) {
    let kind: Kind =
      switch error.kind {
      case .full: .full
      case .readOnly: .readOnly
      case .damaged: .damaged
      case .busy: .inUse
      case .system: .system
      }
    self.init(kind, path, "\(error.action): \(error.reason)")
  }
}
