/// Data that the authenticator reports about itself and the person (WebAuthn Level 3, section 6.1).
///
///     32 bytes  SHA-256 of the relying party's id
///      1 byte   flags
///      4 bytes  signature counter, most significant byte first
///      …        attested credential data, if flag AT is set: AAGUID (16), length (2), credential id, COSE key
///      …        extensions, if flag ED is set: a CBOR map
struct AuthenticatorData {
  struct Flags: OptionSet {
    let rawValue: UInt8
    static let userPresent = Flags(rawValue: 0x01)
    static let userVerified = Flags(rawValue: 0x04)
    static let backupEligible = Flags(rawValue: 0x08)
    static let backedUp = Flags(rawValue: 0x10)
    static let attestedCredential = Flags(rawValue: 0x40)
    static let extensions = Flags(rawValue: 0x80)
  }

  /// A newly registered credential.
  struct AttestedCredential {
    /// The model of the authenticator; all zeros if it is not reported.
    let aaguid: [UInt8]
    let id: [UInt8]
    let key: CBOR
  }

  /// Maximum length of a credential's id, bytes (section 6.5.1).
  static let maximumIdCount = 1_023

  let relyingPartyHash: [UInt8]
  let flags: Flags
  let counter: UInt32
  let credential: AttestedCredential?

  /// Parses authenticator data. Further bytes after the data are an error.
  init(parsing bytes: [UInt8]) throws(PasskeyError) {
    guard bytes.count >= 37 else { throw Self.malformed("\(bytes.count) bytes") }
    relyingPartyHash = Array(bytes[..<32])
    flags = Flags(rawValue: bytes[32])
    counter = bytes[33..<37].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    var rest = bytes[37...]
    if flags.contains(.attestedCredential) {
      guard rest.count >= 18 else { throw Self.malformed("attested credential data is cut") }
      let aaguid = Array(rest.prefix(16))
      let count = Int(rest[rest.startIndex + 16]) << 8 | Int(rest[rest.startIndex + 17])
      rest = rest.dropFirst(18)
      guard count > 0, count <= Self.maximumIdCount, rest.count >= count else {
        throw PasskeyError(.wrongCredential, "an id of \(count) bytes")
      }
      let id = Array(rest.prefix(count))
      rest = rest.dropFirst(count)
      credential = AttestedCredential(aaguid: aaguid, id: id, key: try Self.item(&rest))
    } else {
      credential = nil
    }
    if flags.contains(.extensions) {
      guard case .map = try Self.item(&rest) else { throw Self.malformed("extensions are no map") }
    }
    guard rest.isEmpty else { throw Self.malformed("\(rest.count) bytes too many") }
  }

  private static func item(_ rest: inout ArraySlice<UInt8>) throws(PasskeyError) -> CBOR {
    var reader = CBORReader(rest)
    do throws(CBORError) {
      let item = try reader.next()
      rest = rest[reader.position...]
      return item
    } catch {
      throw malformed("CBOR: \(error.kind) at byte \(error.offset)")
    }
  }

  private static func malformed(_ detail: String) -> PasskeyError {
    PasskeyError(.malformedAuthenticatorData, detail)
  }
}
