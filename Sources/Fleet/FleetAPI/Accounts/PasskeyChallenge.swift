import FleetAccess
import FleetDomain
import Telemetry

/// A challenge for an authenticator. It is not stored: it carries its purpose, and a proof that this server made it.
///
///     sign-in default 1764000000000 9f3c… 5ad1…
///
/// A challenge that was used is remembered until it expires, so that it cannot be used again.
struct PasskeyChallenge: Equatable, Sendable {
  enum Purpose: Equatable, Sendable {
    /// Anybody signs in.
    case signIn
    /// A person adds a passkey.
    case registration(UUIDv7)

    fileprivate var text: String {
      switch self {
      case .signIn: "sign-in"
      case .registration(let person): "add-\(person.json.textValue ?? "")"
      }
    }
  }

  /// The time until it expires: a person may have to look for the authenticator.
  static let seconds = 300

  let tenant: TenantID
  let expiresAt: Timestamp
  /// What the authenticator signs.
  let text: String

  /// A new challenge.
  init(_ purpose: Purpose, tenant: TenantID, at now: Timestamp, _ keys: SecretKeys) {
    self.tenant = tenant
    expiresAt = now.adding(seconds: Self.seconds)
    let head = "\(purpose.text) \(tenant) \(expiresAt.milliseconds) \(Secret(.ticket).text)"
    text = "\(head) \(keys.proof(of: "challenge \(head)"))"
  }

  /// The challenge that a browser's client data repeats.
  ///
  /// - Returns: `nil` if this server did not make it for this purpose, or if it has expired.
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
    expiresAt = Timestamp(nanoseconds: milliseconds * 1_000_000)
    guard expiresAt > now else { return nil }
    self.tenant = tenant
    self.text = text
  }

  var bytes: [UInt8] { Array(text.utf8) }
}

extension FleetTransaction {
  /// Uses a challenge up.
  ///
  /// - Returns: `false` if it was used before.
  func use(_ challenge: PasskeyChallenge) throws(ThingError) -> Bool {
    let hash = Secret.hash(of: challenge.text)
    guard try ticket(hash, for: [.passkey], at: now) == nil else { return false }
    let left = Int((challenge.expiresAt.milliseconds - now.milliseconds) / 1_000) + 1
    try issueTicket(.passkey, hash, of: nil, seconds: max(left, 1))
    return true
  }
}
