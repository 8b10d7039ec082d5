import Failures

/// The reason why the spool cannot use its file. `description` is one text line: the path, then the detail.
public typealias SpoolError = PlacedError<SpoolErrorKind>

/// The kind of a ``SpoolError``.
public enum SpoolErrorKind: Sendable {
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

extension SpoolError {
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
