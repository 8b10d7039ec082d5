/// The reason why a value of a thing is rejected, and its path.
public struct FieldError: Error, Hashable, Sendable {
  /// The path in the thing: keys and indices, separated by `.`; empty for the thing itself.
  public let path: String
  /// What was expected and what was found.
  public let message: String

  public init(_ path: String, _ message: String) {
    self.path = path
    self.message = message
  }

  /// Returns the same error with the path inside another value.
  public func inside(_ key: String) -> FieldError { FieldError(path.isEmpty ? key : "\(key).\(path)", message) }
}

/// All errors of a thing.
public struct FieldErrors: Error, Hashable, Sendable {
  /// The errors, at least one.
  public let all: [FieldError]

  public init(_ all: [FieldError]) { self.all = all }

  /// Returns the same errors with their paths inside another value.
  public func inside(_ key: String) -> FieldErrors { FieldErrors(all.map { $0.inside(key) }) }
}
