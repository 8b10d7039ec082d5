/// The reason why the statement of an OpenID provider is refused.
public struct OpenIDError: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Kind: String, Sendable {
    /// The text is no signed token, or too long.
    case malformed
    /// The algorithm is not the key's.
    case wrongAlgorithm
    /// No key of the provider has the name that the token gives.
    case unknownKey
    case wrongSignature
    case wrongIssuer, wrongAudience, wrongNonce, wrongAccessToken
    case expired, notYetValid
    /// The provider's keys cannot be used.
    case badProvider
  }

  public let kind: Kind
  /// For the log; never a secret.
  public let detail: String

  public init(_ kind: Kind, _ detail: String) {
    self.kind = kind
    self.detail = detail
  }

  public var description: String { "\(kind.rawValue): \(detail)" }
}
