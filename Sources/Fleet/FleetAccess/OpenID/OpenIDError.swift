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
    /// The provider's description or keys cannot be used.
    case badProvider
    /// The provider refuses the sign-in.
    case refused
    /// The provider does not answer, or its answer is too long.
    case unreachable
    /// The sign-in was not begun by this browser, is over, or was finished before.
    case wrongState
    /// Nobody may sign in with this account.
    case noAccount
    /// The account belongs to a person who has it already, or the address to another person.
    case conflict
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
