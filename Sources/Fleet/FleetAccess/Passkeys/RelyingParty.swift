import Crypto

/// The web site for which passkeys are registered (WebAuthn Level 3, section 4, *Relying Party*).
public struct RelyingParty: Equatable, Sendable {
  /// The domain to which passkeys are bound, such as `fleet.example`.
  public let id: String
  /// The origins of the pages that may use the passkeys, such as `https://fleet.example`. They are compared exactly.
  public let origins: Set<String>

  public init(id: String, origins: Set<String>) {
    self.id = id
    self.origins = origins
  }

  /// The SHA-256 digest of the domain. Authenticator data contain it to identify the relying party.
  var idHash: [UInt8] { Array(SHA256.hash(data: Array(id.utf8))) }
}
