/// The reason why the spool cannot use its file. `description` is one line: path, then detail.
public struct SpoolError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public enum Kind: Sendable {
    /// No space is left on the file system, or the user's quota is exceeded.
    case full
    /// The file system is read-only.
    case readOnly
    /// The file is not a spool, or it is damaged.
    case damaged
    /// Another process uses the spool.
    case inUse
    /// Any other error of the operating system or of SQLite.
    case system
  }
  /// The kind of failure.
  public let kind: Kind
  /// Path of the file or folder.
  public let path: String
  /// Description of the failure, without the path.
  public let detail: String

  /// Creates an error; the parameters are the properties of the same names.
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
