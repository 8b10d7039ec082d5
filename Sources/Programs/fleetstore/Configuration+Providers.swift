import Failures
import FleetAPI
import FleetAccess
import FleetDomain
import JSONText
import Telemetry

/// The array `accounts.providers` of the configuration: OpenID providers with which people sign in.
///
///     [{ "id": "entra", "name": "Company account", "issuer": "https://login.microsoftonline.com/{tenantid}/v2.0",
///        "clientId": "6f…", "clientSecretFile": "entra.secret", "allowedTenants": ["8a…"],
///        "roles": { "claim": "roles", "map": { "Fleet.Admin": ["admin"] } } }]
extension Configuration {
  private static let mostProviders = 32
  private static let mostTenantsOfProvider = 256

  mutating func readProviders(_ object: inout JSONObjectReader, folder: String) throws(JSONError) {
    server.accounts.requiringProvider = try Self.tenants("requireProvider", &object)
    server.accounts.requiringFactor = try Self.tenants("requireFactor", &object)
    guard let list = object.optional("providers") else { return }
    let values = try list.requireArray()
    try Self.refuse(list, moreThan: Self.mostProviders)
    var providers: [OpenIDProvider] = []
    for value in values {
      let provider = try Self.provider(value, folder, &secretFiles)
      guard !providers.contains(where: { $0.id == provider.id }) else {
        throw value.invalid(expected: "providers with different ids", found: "\"\(provider.id)\" twice")
      }
      providers.append(provider)
    }
    guard providers.isEmpty || server.accounts.publicURL != nil else {
      throw list.invalid(expected: "url beside it, to which providers send people back", found: "none")
    }
    server.accounts.providers = providers
  }

  private static func provider(
    _ value: JSONValue, _ folder: String, _ files: inout SecretFiles
  ) throws(JSONError) -> OpenIDProvider {
    var reader = try JSONObjectReader(value)
    let id = try reader.required("id")
    let name = try reader.requiredString("name")
    let issuer = try reader.required("issuer")
    let client = try reader.required("clientId")
    var provider = OpenIDProvider(
      id: try tenant(id).text, name: name, issuer: try issuer.requireString(), clientID: try client.requireString())
    guard Names.isText(name, limit: 64) else { throw value.invalid(expected: "a name of \(Names.textRule(64))") }
    guard (1...512).contains(provider.clientID.utf8.count), NameRules.isVisible(provider.clientID) else {
      throw client.invalid(expected: Names.textRule(512))
    }
    guard provider.isIssuerUsable else {
      throw issuer.invalid(expected: "an https address without query and fragment (http only for this machine)")
    }
    if let value = reader.optional("clientSecretFile") {
      let path = try path(value, folder)
      do throws(Failure) {
        provider.clientSecret = try FileText.readSecretLine(path)
      } catch {
        throw value.invalid(expected: "a file with one line that others cannot read", found: error.description)
      }
      files.providers[provider.id] = path
    }
    if let value = reader.optional("tenant") { provider.tenant = try tenant(value) }
    provider.allowedTenants = try texts(&reader, "allowedTenants")
    guard !provider.isTemplate || !provider.allowedTenants.isEmpty else {
      throw value.invalid(expected: "allowedTenants, because the issuer has {tenantid}", found: "none")
    }
    provider.allowedDomains = try texts(&reader, "allowedDomains").map { $0.lowercased() }
    provider.isLinkOnly = try reader.optionalBool("linkOnly") ?? false
    if var roles = try reader.optionalObject("roles") {
      provider.rolesClaim = try roles.requiredString("claim")
      let map = try roles.required("map")
      for member in map.members {
        var found: [PersonRole] = []
        for element in try member.value.requireArray() {
          guard let role = PersonRole(rawValue: try element.requireString()) else {
            throw element.invalid(expected: PersonRole.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))
          }
          found.append(role)
        }
        provider.roles[member.key] = found
      }
      provider.keepsRoles = try roles.optionalString("onSignIn", oneOf: ["replace", "keep"]) == "keep"
      try roles.finish()
    }
    try reader.finish()
    return provider
  }

  static func tenant(_ value: JSONValue) throws(JSONError) -> TenantID {
    guard let tenant = TenantID(try value.requireString()) else {
      throw value.invalid(expected: "1 to 63 of a-z, 0-9 and -")
    }
    return tenant
  }

  private static func texts(_ reader: inout JSONObjectReader, _ key: String) throws(JSONError) -> [String] {
    guard let list = reader.optional(key) else { return [] }
    var texts: [String] = []
    for value in try list.requireArray() { texts.append(try value.requireString()) }
    try refuse(list, moreThan: mostTenantsOfProvider)
    return texts
  }

  func writeProviders(_ line: inout JSONLineEncoder) {
    line.field("requireProvider", server.accounts.requiringProvider.map(\.text).sorted())
    line.field("requireFactor", server.accounts.requiringFactor.map(\.text).sorted())
    line.beginArray("providers")
    for provider in server.accounts.providers {
      line.beginObject()
      line.field("id", provider.id)
      line.field("name", provider.name)
      line.field("issuer", provider.issuer)
      line.field("clientId", provider.clientID)
      line.field("clientSecretFile", secretFiles.providers[provider.id])
      if provider.tenant != .standard { line.field("tenant", provider.tenant.text) }
      if !provider.allowedTenants.isEmpty { line.field("allowedTenants", provider.allowedTenants) }
      if !provider.allowedDomains.isEmpty { line.field("allowedDomains", provider.allowedDomains) }
      if provider.isLinkOnly { line.field("linkOnly", true) }
      if let claim = provider.rolesClaim {
        line.beginObject("roles")
        line.field("claim", claim)
        line.beginObject("map")
        for (value, roles) in provider.roles.sorted(by: { $0.key < $1.key }) {
          line.key(value)
          line.beginArray()
          for role in roles { line.value(role.rawValue) }
          line.end()
        }
        line.end()
        if provider.keepsRoles { line.field("onSignIn", "keep") }
        line.end()
      }
      line.end()
    }
    line.end()
  }
}
