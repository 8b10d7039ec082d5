/// The reason why a value in a thing is rejected, with the value's path.
public struct FieldError: Error, Hashable, Sendable {
  /// The path from the thing to the value: keys and indices, separated by `.`; empty if the thing itself is rejected.
  public let path: String
  /// What was expected and what was found.
  public let message: String

  public init(_ path: String, _ message: String) {
    self.path = path
    self.message = message
  }

  /// Returns the same error for the outer value that contains this value under a key: the path then begins with this
  /// key.
  public func inside(_ key: String) -> FieldError { FieldError(path.isEmpty ? key : "\(key).\(path)", message) }
}

/// All errors that were found in a thing.
public struct FieldErrors: Error, Hashable, Sendable {
  /// The errors, at least one.
  public let all: [FieldError]

  public init(_ all: [FieldError]) { self.all = all }

  /// Returns the same errors for the outer value that contains this value under a key: the paths then begin with this
  /// key.
  public func inside(_ key: String) -> FieldErrors { FieldErrors(all.map { $0.inside(key) }) }
}
