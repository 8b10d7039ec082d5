import FleetAccess
import FleetDomain
import Telemetry

/// A challenge that an authenticator must sign. The server does not store a new challenge: the challenge's text
/// contains its purpose, and a proof by which the server recognises its own challenges.
///
///     sign-in default 1764000000000 9f3c… 5ad1…
///
/// After a challenge was used, its hash is stored until the challenge expires, so that it cannot be used again.
struct PasskeyChallenge: Equatable, Sendable {
  enum Purpose: Equatable, Sendable {
    /// A sign-in without a user name: the passkey identifies the person.
    case signIn
    /// The registration of a passkey for this person.
    case registration(UUIDv7)

    fileprivate var text: String {
      switch self {
      case .signIn: "sign-in"
      case .registration(let person): "add-\(person.json.textValue ?? "")"
      }
    }
  }

  /// The time for which a challenge is valid, in s. It is long enough to look for the authenticator.
  static let seconds = 300

  let tenant: TenantID
  let expiresAt: Timestamp
  /// The text that the authenticator signs.
  let text: String

  /// Creates a new challenge.
  init(_ purpose: Purpose, tenant: TenantID, at now: Timestamp, _ keys: SecretKeys) {
    self.tenant = tenant
    expiresAt = now.adding(seconds: Self.seconds)
    let head = "\(purpose.text) \(tenant) \(expiresAt.milliseconds) \(Secret(.ticket).text)"
    text = "\(head) \(keys.proof(of: "challenge \(head)"))"
  }

  /// Reads the challenge in a browser's client data.
  ///
  /// - Returns: `nil` if this server did not create the challenge for this purpose, or if it has expired.
  init?(clientData: [UInt8], for purpose: Purpose, at now: Timestamp, _ keys: SecretKeys) {
    guard clientData.count <= 16_384, let json = try? JSON(parsing: clientData),
      let bytes = json["challenge"]?.textValue.flatMap({ Base64URL.bytes($0) }),
      let text = String(validating: bytes, as: UTF8.self)
    else { return nil }
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0] == purpose.text, let tenant = TenantID(String(parts[1])),
      let milliseconds = Int64(parts[2]),
      keys.isProof(String(parts[4]), of: "challenge \(parts.dropLast().joined(separator: " "))")
    else { return nil }
    expiresAt = Timestamp(limiting: milliseconds)
    guard expiresAt > now else { return nil }
    self.tenant = tenant
    self.text = text
  }

  var bytes: [UInt8] { Array(text.utf8) }
}

extension FleetTransaction {
  /// Marks a challenge as used.
  ///
  /// - Returns: `false` if the challenge was used before.
  func use(_ challenge: PasskeyChallenge) throws(ThingError) -> Bool {
    try useOnce(challenge.text, .passkey, until: challenge.expiresAt)
  }

  /// Marks as used a text that may be used only once, and stores the text's hash until the text expires.
  ///
  /// - Returns: `false` if the text was used before.
  func useOnce(_ text: String, _ purpose: Ticket.Purpose, until end: Timestamp) throws(ThingError) -> Bool {
    let hash = Secret.hash(of: text)
    guard try ticket(hash, for: [purpose], at: now) == nil else { return false }
    let left = Int((end.milliseconds - now.milliseconds) / 1_000) + 1
    try issueTicket(purpose, hash, of: nil, seconds: max(left, 1))
    return true
  }
}
