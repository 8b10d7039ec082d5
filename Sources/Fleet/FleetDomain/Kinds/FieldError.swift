/// Why a value of a thing is rejected, and which one.
public struct FieldError: Error, Hashable, Sendable {
  /// The place in the thing: keys and indexes, separated by `.`; empty: the thing itself.
  public let path: String
  /// What was expected and what was found.
  public let message: String

  public init(_ path: String, _ message: String) {
    self.path = path
    self.message = message
  }

  /// The same error, of a value inside another one.
  public func inside(_ key: String) -> FieldError { FieldError(path.isEmpty ? key : "\(key).\(path)", message) }
}

/// Everything that is wrong with a thing.
public struct FieldErrors: Error, Hashable, Sendable {
  /// At least one.
  public let all: [FieldError]

  public init(_ all: [FieldError]) { self.all = all }
}
