import FleetAPI
import FleetAccess
import FleetDomain
import JSONText
import Telemetry

extension Configuration {
  /// Maximum number of networks in `trustedProxies`.
  private static let mostProxies = 256
  /// Maximum number of tenants in a list.
  private static let mostTenants = 1_024

  mutating func readAccounts(_ reader: inout JSONObjectReader, folder: String) throws(JSONError) {
    if let proxies = reader.optional("trustedProxies") {
      let texts = try proxies.requireArray()
      try Self.refuse(proxies, moreThan: Self.mostProxies)
      for value in texts {
        guard let network = AddressNetwork(try value.requireString()) else {
          throw value.invalid(expected: "an address or network, such as \"10.0.0.0/8\"")
        }
        server.proxies.networks.append(network)
      }
    }
    if let header = reader.optional("proxyHeader") {
      let names = TrustedProxies.Header.allCases.map(\.rawValue)
      guard let found = TrustedProxies.Header(rawValue: try header.requireString()) else {
        throw header.invalid(expected: names.map { "\"\($0)\"" }.joined(separator: " or "))
      }
      server.proxies.header = found
    }
    guard var object = try reader.optionalObject("accounts") else { return }
    if let value = object.optional("url") {
      let url = try value.requireString()
      guard WebAddress(url) != nil else { throw value.invalid(expected: WebAddress.expectation) }
      server.accounts.publicURL = url
    }
    if let value = object.optional("name") {
      let name = try value.requireString()
      guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(Self.isInName) else {
        throw value.invalid(expected: "1 to 64 of letters (A-Z), digits, spaces and . _ -")
      }
      server.accounts.serviceName = name
    }
    if let value = object.optional("secretKeysFile") { secretKeysFile = try Self.path(value, folder) }
    var limits = server.accounts.limits
    limits.idleSeconds = try object.optionalInt("idleSeconds", in: 60...31_536_000) ?? limits.idleSeconds
    limits.seconds = try object.optionalInt("sessionSeconds", in: 60...31_536_000) ?? limits.seconds
    limits.appIdleSeconds = try object.optionalInt("appIdleSeconds", in: 60...31_536_000) ?? limits.appIdleSeconds
    limits.appSeconds = try object.optionalInt("appSessionSeconds", in: 60...31_536_000) ?? limits.appSeconds
    limits.invitationSeconds =
      try object.optionalInt("invitationSeconds", in: 60...2_592_000) ?? limits.invitationSeconds
    server.accounts.limits = limits
    server.accounts.withoutEmailCodes = try Self.tenants("withoutEmailCodes", &object)
    try readProviders(&object, folder: folder)
    try object.finish()
  }

  /// Reads a list of tenants; empty if the key is absent.
  static func tenants(_ key: String, _ object: inout JSONObjectReader) throws(JSONError) -> Set<TenantID> {
    guard let list = object.optional(key) else { return [] }
    let values = try list.requireArray()
    try refuse(list, moreThan: mostTenants)
    var tenants: Set<TenantID> = []
    for value in values { tenants.insert(try tenant(value)) }
    return tenants
  }

  private static func isInName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: " "), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  func writeAccounts(_ line: inout JSONLineEncoder) {
    line.field("trustedProxies", server.proxies.networks.map(\.description))
    line.field("proxyHeader", server.proxies.header.rawValue)
    line.beginObject("accounts")
    line.field("url", server.accounts.publicURL)
    line.field("name", server.accounts.serviceName)
    line.field("secretKeysFile", secretKeysFile)
    let limits = server.accounts.limits
    line.field("idleSeconds", limits.idleSeconds)
    line.field("sessionSeconds", limits.seconds)
    line.field("appIdleSeconds", limits.appIdleSeconds)
    line.field("appSessionSeconds", limits.appSeconds)
    line.field("invitationSeconds", limits.invitationSeconds)
    line.field("withoutEmailCodes", server.accounts.withoutEmailCodes.map(\.text).sorted())
    writeProviders(&line)
    line.end()
  }
}
