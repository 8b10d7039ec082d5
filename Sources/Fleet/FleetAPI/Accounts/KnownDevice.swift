import FleetAccess
import FleetDomain
import Telemetry

/// A browser from which a person has signed in before. The server gave the browser a cookie that proves this.
struct KnownDevice: Sendable {
  /// A hash of the person and of their tenant. All browsers of a person have the same owner.
  let owner: String
  /// Random bits that identify the browser.
  let nonce: String
  /// The text of the cookie.
  let proof: String
  private let tenant: TenantID

  /// Describes the browser in which a person has just signed in.
  init(of person: UUIDv7, _ tenant: TenantID, _ keys: SecretKeys) {
    owner = Self.owner(person, tenant)
    nonce = Secret(.device).text
    proof = "\(nonce).\(owner).\(keys.proof(of: Self.statement(nonce, owner, tenant)))"
    self.tenant = tenant
  }

  /// Reads the text of a cookie; `nil` if it does not prove that a person of the tenant has signed in.
  init?(proof: String, of tenant: TenantID, _ keys: SecretKeys) {
    let parts = proof.split(separator: ".").map(String.init)
    guard parts.count == 3, keys.isProof(parts[2], of: Self.statement(parts[0], parts[1], tenant)) else { return nil }
    (nonce, owner) = (parts[0], parts[1])
    self.proof = proof
    self.tenant = tenant
  }

  /// Whether a person has signed in from this browser.
  func isOwned(by person: UUIDv7) -> Bool { owner == Self.owner(person, tenant) }

  private static func owner(_ person: UUIDv7, _ tenant: TenantID) -> String {
    String(Secret.hash(of: "device owner \(tenant) \(person)").text.prefix(32))
  }

  private static func statement(_ nonce: String, _ owner: String, _ tenant: TenantID) -> String {
    "device \(tenant) \(owner) \(nonce)"
  }
}

/// The origin of an answer of an OpenID provider, which a browser transmits.
enum CallbackOrigin: Sendable {
  /// A browser from which a person has signed in before (``KnownDevice/owner``).
  case device(owner: String)
  /// Another browser, by its address; `nil` if the address is unknown.
  case address(String?)

  /// The name under which the origin's wrong answers are counted.
  var name: String {
    switch self {
    case .device(let owner): "device \(owner)"
    case .address(let address): PeerAddress.group(address)
    }
  }
}
