/// The reason why a passkey's registration or sign-in is rejected.
///
/// The server logs the kind. People receive one sentence that does not reveal the failed check to an attacker.
public struct PasskeyError: Error, Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    /// The client data is not the JSON object that WebAuthn describes.
    case malformedClientData
    /// The client data belong to another operation than expected (`webauthn.create` or `webauthn.get`).
    case wrongType
    /// The challenge is not the one that was issued.
    case wrongChallenge
    /// The page's origin is not among the origins of the relying party.
    case wrongOrigin
    /// The page was in a frame of another site's page.
    case crossOrigin
    /// The attestation object or authenticator data cannot be read.
    case malformedAuthenticatorData
    /// The passkey belongs to another relying party.
    case wrongRelyingParty
    /// The person did not confirm at the authenticator.
    case userNotPresent
    /// The authenticator did not verify the person by PIN or biometrics.
    case userNotVerified
    /// The key's type or algorithm is not supported, or the key is invalid.
    case unsupportedKey
    /// The attestation statement is of an unsupported format, or is wrong.
    case invalidAttestation
    /// The credential's id is longer than 1,023 bytes, or is not the one that the client named.
    case wrongCredential
    /// The passkey belongs to another person.
    case wrongUser
    /// The signature is wrong.
    case invalidSignature
    /// The signature counter did not increase, so the authenticator may have been copied.
    case counterNotAdvanced
    /// The flag for backup eligibility, which must never change, has changed, or two flags contradict each other.
    case inconsistentFlags
  }

  public let kind: Kind
  /// Details for the log, without secrets.
  public let detail: String

  init(_ kind: Kind, _ detail: String = "") {
    self.kind = kind
    self.detail = detail
  }
}
