import Crypto

/// The site that passkeys are registered for (WebAuthn Level 3, section 4, *Relying Party*).
public struct RelyingParty: Equatable, Sendable {
  /// The domain that passkeys are bound to, such as `fleet.example`.
  public let id: String
  /// The origins whose pages may use them, such as `https://fleet.example`. They are compared exactly.
  public let origins: Set<String>

  public init(id: String, origins: Set<String>) {
    self.id = id
    self.origins = origins
  }

  /// The digest of the domain, by which authenticator data identify the relying party.
  var idHash: [UInt8] { Array(SHA256.hash(data: Array(id.utf8))) }
}
