import FleetDomain
import Telemetry

extension Factor {
  /// Creates a factor from a passkey.
  ///
  /// - Parameter name: the name that the person chose.
  public init(_ passkey: Passkey, name: String, of person: UUIDv7) {
    self.init()
    personID = person
    form = .passkey
    self.name = name
    isConfirmed = true
    credentialID = Base64URL.text(passkey.id)
    store(passkey)
  }

  /// Updates the factor with the values that a sign-in has changed in the passkey.
  public mutating func store(_ passkey: Passkey) {
    counter = Int64(passkey.counter)
    let members: [String: JSON] = [
      "key": .text(Base64URL.text(passkey.key.stored)), "aaguid": .text(Base64URL.text(passkey.aaguid)),
      "isBackupEligible": .bool(passkey.isBackupEligible), "isBackedUp": .bool(passkey.isBackedUp),
    ]
    secret = JSON.object(members).canonicalText
  }

  /// The passkey that the factor contains; `nil` if the factor is of another kind.
  public var passkey: Passkey? {
    guard form == .passkey, let id = credentialID.flatMap({ Base64URL.bytes($0) }), let secret,
      let json = try? JSON(parsing: Array(secret.utf8)),
      let key = json["key"]?.textValue.flatMap({ Base64URL.bytes($0) }).flatMap({ PasskeyPublicKey(stored: $0) }),
      let aaguid = json["aaguid"]?.textValue.flatMap({ Base64URL.bytes($0) })
    else { return nil }
    return Passkey(
      id: id, key: key, aaguid: aaguid, counter: UInt32(clamping: counter ?? 0),
      isBackupEligible: json["isBackupEligible"] == .bool(true), isBackedUp: json["isBackedUp"] == .bool(true))
  }
}
