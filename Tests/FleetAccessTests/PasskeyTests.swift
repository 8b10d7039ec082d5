import Crypto
import CryptoExtras
import Testing

@testable import FleetAccess
@testable import FleetAccessTestKit

@Suite struct PasskeyTests {
  private let site = RelyingParty(id: "fleet.example", origins: ["https://fleet.example"])
  private let challenge = Array("a challenge of thirty-two bytes!".utf8)
  private let ann = Array("person-ann".utf8)

  private func register(_ authenticator: SoftwareAuthenticator) throws(PasskeyError) -> Passkey {
    let sent = authenticator.registration(challenge)
    return try Passkey(
      registering: sent.clientData, attestation: sent.attestation, credentialId: authenticator.id, challenge: challenge,
      site)
  }

  /// Registers with an authenticator, changes it, and signs in with it.
  private func signIn(
    registeredAs first: SoftwareAuthenticator = SoftwareAuthenticator(), handle: [UInt8]? = nil,
    isPersonKnown: Bool = true,
    _ change: (inout SoftwareAuthenticator) -> Void = { _ in }
  ) -> Result<Passkey, PasskeyError> {
    Result { () throws(PasskeyError) in
      var passkey = try register(first)
      var authenticator = first
      change(&authenticator)
      try passkey.use(
        authenticator.assertion(challenge, userHandle: handle), userHandle: ann, isPersonKnown: isPersonKnown,
        challenge: challenge, site)
      return passkey
    }
  }

  private func kind<Value>(_ result: Result<Value, PasskeyError>) -> PasskeyError.Kind? {
    if case .failure(let error) = result { error.kind } else { nil }
  }

  private func registrationKind(_ change: (inout SoftwareAuthenticator) -> Void) -> PasskeyError.Kind? {
    var authenticator = SoftwareAuthenticator()
    change(&authenticator)
    return kind(Result { () throws(PasskeyError) in try register(authenticator) })
  }

  @Test func all_three_algorithms_register_and_sign_in() throws {
    let keys: [SoftwareAuthenticator.Key] = [
      .p256(P256.Signing.PrivateKey()), .ed25519(Curve25519.Signing.PrivateKey()),
      .rsa(try _RSA.Signing.PrivateKey(keySize: .bits2048)),
    ]
    for (key, algorithm) in zip(keys, PasskeyPublicKey.algorithms) {
      var authenticator = SoftwareAuthenticator()
      authenticator.key = key
      let passkey = try signIn(registeredAs: authenticator).get()
      #expect(passkey.key.algorithm == algorithm)
      #expect(passkey.id == authenticator.id)
      #expect(PasskeyPublicKey(stored: passkey.key.stored) == passkey.key)
    }
  }

  @Test func packed_self_attestation_is_verified() throws {
    var authenticator = SoftwareAuthenticator()
    authenticator.format = "packed"
    _ = try register(authenticator)
    authenticator.statement = [0xA2, 0x63] + Array("alg".utf8) + [0x26, 0x63] + Array("sig".utf8) + [0x41, 0x00]
    #expect(kind(Result { () throws(PasskeyError) in try register(authenticator) }) == .invalidAttestation)
  }

  @Test func a_false_statement_at_registration_is_rejected() {
    #expect(registrationKind { $0.type = "webauthn.get" } == .wrongType)
    #expect(registrationKind { $0.origin = "https://fleet.example.evil.test" } == .wrongOrigin)
    #expect(registrationKind { $0.origin = "http://fleet.example" } == .wrongOrigin)
    #expect(registrationKind { $0.origin = "https://fleet.example:8443" } == .wrongOrigin)
    #expect(registrationKind { $0.extraClientData = #","crossOrigin":true"# } == .crossOrigin)
    #expect(registrationKind { $0.extraClientData = #","topOrigin":"https://a.test""# } == .crossOrigin)
    #expect(registrationKind { $0.extraClientData = #","type":"webauthn.create""# } == .malformedClientData)
    #expect(registrationKind { $0.relyingPartyId = "example" } == .wrongRelyingParty)
    #expect(registrationKind { $0.flags = 0x04 } == .userNotPresent)
    #expect(registrationKind { $0.flags = 0x01 } == .userNotVerified)
    #expect(registrationKind { $0.flags = 0x15 } == .inconsistentFlags)
    #expect(registrationKind { $0.trailing = [0x00] } == .malformedAuthenticatorData)
    #expect(registrationKind { $0.flags = 0x85 } == .malformedAuthenticatorData)
    #expect(registrationKind { $0.format = "fido-u2f" } == .invalidAttestation)
    #expect(registrationKind { $0.statement = [0xA1, 0x61, 0x61, 0x00] } == .invalidAttestation)
    #expect(registrationKind { $0.id = Array(repeating: 1, count: 1_024) } == .wrongCredential)
    #expect(registrationKind { $0.id = [] } == .wrongCredential)
  }

  @Test func a_key_that_is_not_supported_or_not_valid_is_rejected() {
    // ES384; ES256 with a point that is not on the curve; an EdDSA key with the number of another curve.
    let other: [UInt8] = [0xA3, 0x01, 0x02, 0x03, 0x38, 0x22, 0x20, 0x02]
    let zeros = [UInt8](repeating: 7, count: 32)
    let offCurve: [UInt8] =
      [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20] + zeros + [0x22, 0x58, 0x20] + zeros
    let x448: [UInt8] = [0xA4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x05, 0x21, 0x58, 0x20] + zeros
    let short: [UInt8] =
      [0xA4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20, 0x58, 0x20] + zeros + [0x21, 0x43, 0x01, 0x00, 0x01]
    for key in [other, offCurve, x448, short, [0xA0], [0x00]] {
      #expect(registrationKind { $0.coseKey = key } == .unsupportedKey)
    }
  }

  @Test func a_challenge_is_good_for_its_own_operation_only() throws {
    let authenticator = SoftwareAuthenticator()
    let sent = authenticator.registration(Array("another challenge".utf8))
    #expect(
      kind(
        Result { () throws(PasskeyError) in
          try Passkey(
            registering: sent.clientData, attestation: sent.attestation, credentialId: authenticator.id,
            challenge: challenge, site)
        }) == .wrongChallenge)
  }

  @Test func the_credential_is_the_one_that_the_client_names() {
    let authenticator = SoftwareAuthenticator()
    let sent = authenticator.registration(challenge)
    #expect(
      kind(
        Result { () throws(PasskeyError) in
          try Passkey(
            registering: sent.clientData, attestation: sent.attestation, credentialId: [1], challenge: challenge, site)
        }) == .wrongCredential)
  }

  @Test func a_false_statement_at_sign_in_is_rejected() {
    #expect(kind(signIn { $0.key = .p256(P256.Signing.PrivateKey()) }) == .invalidSignature)
    #expect(kind(signIn { $0.type = "webauthn.create" }) == .wrongType)
    #expect(kind(signIn { $0.origin = "https://evil.test" }) == .wrongOrigin)
    #expect(kind(signIn { $0.relyingPartyId = "evil.test" }) == .wrongRelyingParty)
    #expect(kind(signIn { $0.flags = 0x01 }) == .userNotVerified)
    #expect(kind(signIn { $0.flags = 0x04 }) == .userNotPresent)
    #expect(kind(signIn { $0.flags = 0x0D }) == .inconsistentFlags)
    #expect(kind(signIn { $0.trailing = [0xA0] }) == .malformedAuthenticatorData)
  }

  @Test func the_counter_must_advance_if_the_authenticator_has_one() throws {
    var authenticator = SoftwareAuthenticator()
    #expect(try signIn(registeredAs: authenticator).get().counter == 0)
    authenticator.counter = 7
    #expect(try signIn(registeredAs: authenticator) { $0.counter = 8 }.get().counter == 8)
    #expect(kind(signIn(registeredAs: authenticator)) == .counterNotAdvanced)
    #expect(kind(signIn(registeredAs: authenticator) { $0.counter = 6 }) == .counterNotAdvanced)
    #expect(kind(signIn(registeredAs: authenticator) { $0.counter = 0 }) == .counterNotAdvanced)
  }

  @Test func a_discoverable_passkey_names_its_person() {
    #expect(kind(signIn(handle: ann, isPersonKnown: false)) == nil)
    #expect(kind(signIn(handle: nil, isPersonKnown: false)) == .wrongUser)
    #expect(kind(signIn(handle: Array("person-bob".utf8), isPersonKnown: true)) == .wrongUser)
    #expect(kind(signIn(handle: nil, isPersonKnown: true)) == nil)
  }

  @Test func the_backup_state_is_that_of_the_last_use() throws {
    var authenticator = SoftwareAuthenticator()
    authenticator.flags = 0x0D
    let passkey = try signIn(registeredAs: authenticator) { $0.flags = 0x1D }.get()
    #expect(passkey.isBackupEligible)
    #expect(passkey.isBackedUp)
  }

  @Test func damage_anywhere_is_an_error_and_never_a_crash() {
    let authenticator = SoftwareAuthenticator()
    let sent = authenticator.registration(challenge)
    for index in sent.attestation.indices {
      for change: UInt8 in [0x01, 0x20, 0x80, 0xFF] {
        var attestation = sent.attestation
        attestation[index] ^= change
        // In a registration without attestation, only the model of the authenticator is not protected.
        let passkey = try? Passkey(
          registering: sent.clientData, attestation: attestation, credentialId: authenticator.id, challenge: challenge,
          site)
        if let passkey {
          #expect(
            passkey.aaguid != [UInt8](repeating: 0, count: 16) || passkey.counter != 0 || isFlagChange(index, sent))
        }
      }
    }
    for count in sent.attestation.indices {
      #expect(throws: PasskeyError.self) {
        try Passkey(
          registering: sent.clientData, attestation: Array(sent.attestation.prefix(count)),
          credentialId: authenticator.id, challenge: challenge, site)
      }
    }
  }

  /// Whether an index in an attestation object is that of the flags.
  private func isFlagChange(_ index: Int, _ sent: (clientData: [UInt8], attestation: [UInt8])) -> Bool {
    let hash = Array(SHA256.hash(data: Array("fleet.example".utf8)))
    let start = (0..<sent.attestation.count - 32).first { Array(sent.attestation[$0..<$0 + 32]) == hash }
    return index == start.map { $0 + 32 }
  }
}
