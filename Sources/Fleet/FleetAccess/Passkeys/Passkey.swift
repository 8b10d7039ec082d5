import Crypto

/// A stored passkey (WebAuthn Level 3, section 4, *credential record*).
public struct Passkey: Equatable, Sendable {
  /// The credential's id, 1 to 1,023 bytes.
  public let id: [UInt8]
  public let key: PasskeyPublicKey
  /// The model of the authenticator, 16 bytes; all zeros if it is not reported.
  public let aaguid: [UInt8]
  /// The signature counter at the last use; 0 if the authenticator does not count.
  public private(set) var counter: UInt32
  /// Whether the passkey may be copied to other devices of the person (a synced passkey).
  public let isBackupEligible: Bool
  /// Whether the passkey was copied to other devices, as reported at its last use.
  public private(set) var isBackedUp: Bool

  public init(
    id: [UInt8], key: PasskeyPublicKey, aaguid: [UInt8], counter: UInt32, isBackupEligible: Bool, isBackedUp: Bool
  ) {
    self.id = id
    self.key = key
    self.aaguid = aaguid
    self.counter = counter
    self.isBackupEligible = isBackupEligible
    self.isBackedUp = isBackedUp
  }

  /// Checks a registration (WebAuthn Level 3, section 7.1) and returns the passkey to store.
  ///
  /// The attestation conveyance is `none`: the attestation statement is either absent or the key's own signature. The
  /// caller checks that no person has a passkey with the same id yet.
  ///
  /// - Parameters:
  ///   - clientData: `response.clientDataJSON`.
  ///   - attestation: `response.attestationObject`.
  ///   - credentialId: `rawId`, as the client names it.
  ///   - challenge: the challenge that was issued for this registration; it must not be used again.
  public init(
    registering clientData: [UInt8], attestation: [UInt8], credentialId: [UInt8], challenge: [UInt8],
    _ relyingParty: RelyingParty
  ) throws(PasskeyError) {
    let client = try ClientData(checking: clientData, .create, challenge: challenge, relyingParty)
    let object: CBOR
    do throws(CBORError) {
      object = try CBORReader.item(attestation)
    } catch {
      throw PasskeyError(.malformedAuthenticatorData, "CBOR: \(error.kind) at byte \(error.offset)")
    }
    guard let format = object[key: .text("fmt")]?.textString, let statement = object[key: .text("attStmt")],
      let bytes = object[key: .text("authData")]?.byteString
    else { throw PasskeyError(.malformedAuthenticatorData, "expected fmt, attStmt and authData") }
    let data = try AuthenticatorData(parsing: bytes)
    try data.check(relyingParty)
    guard let credential = data.credential else {
      throw PasskeyError(.malformedAuthenticatorData, "no attested credential data")
    }
    guard credential.id == credentialId else { throw PasskeyError(.wrongCredential) }
    key = try PasskeyPublicKey(credential.key)
    try Self.check(statement, format: format, of: key, over: bytes + client.hash)
    id = credential.id
    aaguid = credential.aaguid
    counter = data.counter
    isBackupEligible = data.flags.contains(.backupEligible)
    isBackedUp = data.flags.contains(.backedUp)
  }

  /// The data that the browser sends to sign in (an assertion).
  public struct Assertion: Sendable {
    /// `response.clientDataJSON`.
    public var clientData: [UInt8]
    /// `response.authenticatorData`.
    public var authenticatorData: [UInt8]
    /// `response.signature`.
    public var signature: [UInt8]
    /// `response.userHandle`; `nil` if the authenticator did not send one.
    public var userHandle: [UInt8]?

    public init(clientData: [UInt8], authenticatorData: [UInt8], signature: [UInt8], userHandle: [UInt8]? = nil) {
      self.clientData = clientData
      self.authenticatorData = authenticatorData
      self.signature = signature
      self.userHandle = userHandle
    }
  }

  /// Checks a sign-in with this passkey (WebAuthn Level 3, section 7.2) and stores the new counter and backup state.
  ///
  /// - Parameters:
  ///   - assertion: the data that the browser sent.
  ///   - userHandle: the handle of the passkey's owner.
  ///   - isPersonKnown: whether the person was known before the challenge was issued. If not (a discoverable passkey),
  ///     the authenticator must send the handle.
  ///   - challenge: the challenge that was issued for this sign-in; it must not be used again.
  public mutating func use(
    _ assertion: Assertion, userHandle: [UInt8], isPersonKnown: Bool, challenge: [UInt8], _ relyingParty: RelyingParty
  ) throws(PasskeyError) {
    switch assertion.userHandle {
    case nil: guard isPersonKnown else { throw PasskeyError(.wrongUser, "no user handle") }
    case let handle?: guard handle == userHandle else { throw PasskeyError(.wrongUser) }
    }
    let client = try ClientData(checking: assertion.clientData, .get, challenge: challenge, relyingParty)
    let data = try AuthenticatorData(parsing: assertion.authenticatorData)
    try data.check(relyingParty)
    guard data.flags.contains(.backupEligible) == isBackupEligible else {
      throw PasskeyError(.inconsistentFlags, "backup eligibility changed")
    }
    guard key.isValid(assertion.signature, for: assertion.authenticatorData + client.hash) else {
      throw PasskeyError(.invalidSignature)
    }
    guard (data.counter == 0 && counter == 0) || data.counter > counter else {
      throw PasskeyError(.counterNotAdvanced, "\(data.counter) after \(counter)")
    }
    counter = data.counter
    isBackedUp = data.flags.contains(.backedUp)
  }

  /// Checks an attestation statement: `none` (section 8.7), or `packed` self attestation (section 8.2).
  private static func check(
    _ statement: CBOR, format: String, of key: PasskeyPublicKey, over message: [UInt8]
  ) throws(PasskeyError) {
    switch format {
    case "none":
      guard statement == .map([:]) else { throw PasskeyError(.invalidAttestation, "none with a statement") }
    case "packed":
      guard statement[key: .text("x5c")] == nil, statement[key: .text("alg")]?.integer == key.algorithm,
        let signature = statement[key: .text("sig")]?.byteString, key.isValid(signature, for: message)
      else { throw PasskeyError(.invalidAttestation, "packed") }
    default:
      throw PasskeyError(.invalidAttestation, "format \(format.prefix(32))")
    }
  }
}
