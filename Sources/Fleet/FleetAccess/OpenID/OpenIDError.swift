/// The reason why an answer or token of an OpenID provider is refused.
public struct OpenIDError: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Kind: String, Sendable {
    /// The text is not a signed token, or is too long.
    case malformed
    /// The token's algorithm is not the algorithm of the provider's key.
    case wrongAlgorithm
    /// The provider has no key with the name that the token contains.
    case unknownKey
    case wrongSignature
    case wrongIssuer, wrongAudience, wrongNonce, wrongAccessToken
    case expired, notYetValid
    /// The provider's configuration document or keys cannot be used.
    case badProvider
    /// The provider has rejected the authorization code of a sign-in.
    case refused
    /// The provider has refused the sign-in, for example because the person cancelled it.
    case cancelled
    /// The provider does not answer, or its answer is too long.
    case unreachable
    /// The sign-in was not begun in this browser, has expired, or was completed before.
    case wrongState
    /// No person has this identity, and no account may be created for it.
    case noAccount
    /// The identity already belongs to a person, or its email address belongs to another person.
    case conflict
  }

  /// Whether a client could have caused the error on purpose, in order to use up the server's time.
  public var isClientsFault: Bool {
    switch kind {
    case .cancelled, .unreachable, .badProvider, .noAccount, .conflict: false
    default: true
    }
  }

  public let kind: Kind
  /// Details for the log; they never contain a secret.
  public let detail: String

  public init(_ kind: Kind, _ detail: String) {
    self.kind = kind
    self.detail = detail
  }

  public var description: String { "\(kind.rawValue): \(detail)" }
}
