/// The reason why a file is not a valid 3D model, or cannot be used as one.
public struct ModelError: Error, Equatable, Sendable {
  public enum Kind: String, Sendable {
    /// The file ends too early, or the file refers to bytes after its end.
    case truncated
    /// The file violates the rules of its format.
    case malformed
    /// A reference leads to something that the file does not contain.
    case reference
    /// A part of the model, such as a texture or a buffer, is in another file.
    case external
    /// The model exceeds a limit of the server.
    case tooLarge
    /// The file uses a feature that the server cannot check.
    case unsupported
    /// The system could not read the file.
    case unreadable
  }

  public let kind: Kind
  /// The place of the error, for example `accessors[3].byteOffset` or `line 12`; empty for the whole file.
  public let place: String
  /// What was expected and what was found, for people.
  public let detail: String

  public init(_ kind: Kind, _ place: String, _ detail: String) {
    (self.kind, self.place, self.detail) = (kind, place, detail)
  }

  /// The place and the detail in one sentence.
  public var message: String { place.isEmpty ? detail : "\(place): \(detail)" }
}
