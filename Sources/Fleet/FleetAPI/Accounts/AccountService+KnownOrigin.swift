import FleetAccess
import FleetDomain
import Telemetry

extension AccountService {
  /// Returns the text of a cookie for the browser in which a person has just signed in. If a browser sends this text
  /// later, it proves that the person has signed in from this browser before.
  func deviceProof(of person: UUIDv7, _ tenant: TenantID) -> String {
    KnownDevice(of: person, tenant, settings.secretKeys).proof
  }

  /// Returns the browser that sent a request if any person of a tenant has signed in from it before; otherwise `nil`.
  func knownDevice(_ caller: Caller, of tenant: TenantID) -> KnownDevice? {
    caller.device.flatMap { KnownDevice(proof: $0, of: tenant, settings.secretKeys) }
  }

  /// Returns the browser or address of a client if the person has signed in from there before; otherwise `nil`.
  func knownOrigin(of person: Stored<Person>, _ tenant: TenantID, _ caller: Caller) -> KnownOrigin? {
    if let device = knownDevice(caller, of: tenant), device.isOwned(by: person.id) { return .device(device.nonce) }
    let hash = Self.addressHash(caller.address, of: person.id, tenant)
    return hash.flatMap { person.value.hasSignedIn(fromAddress: $0) ? .address($0) : nil }
  }

  /// Returns the hash with which a known address of a person is stored; `nil` if the address is unknown.
  static func addressHash(_ address: String?, of person: UUIDv7, _ tenant: TenantID) -> String? {
    address.map { address in
      String(Secret.hash(of: "address \(tenant) \(person) \(PeerAddress.group(address))").text.prefix(32))
    }
  }
}
