import FleetDomain

/// An OpenID provider with which people of a tenant sign in, as the configuration describes it.
public struct OpenIDProvider: Equatable, Sendable {
  /// The provider's name in the paths of routes: 1 to 63 characters of a–z, 0–9 and `-`.
  public var id: String
  /// The name that people see.
  public var name: String
  /// The issuer: a URL, compared exactly. `{tenantid}` stands for the directory of an account at Entra ID.
  public var issuer: String
  public var clientID: String
  /// The secret that the provider gave to this server; `nil` for a public client, which has none.
  public var clientSecret: String?
  public var tenant = TenantID.standard
  /// The directories of Entra ID (`tid`) whose accounts are accepted.
  public var allowedTenants: [String] = []
  /// Email domains. People with a verified address in one of them get an account at their first sign-in.
  public var allowedDomains: [String] = []
  /// The claim with the groups or roles of a person; `nil` for none.
  public var rolesClaim: String?
  /// The roles for each value of ``rolesClaim``. A person with at least one of these values gets an account at the
  /// first sign-in.
  public var roles: [String: [PersonRole]] = [:]
  /// Whether ``roles`` apply only to new accounts. Otherwise, each sign-in sets the roles of the person.
  public var keepsRoles = false
  /// Whether each sign-in sets the person's roles.
  public var setsRoles: Bool { rolesClaim != nil && !roles.isEmpty && !keepsRoles && !isLinkOnly }
  /// Whether people can sign in only with identities that they have already linked to their accounts.
  public var isLinkOnly = false

  public init(id: String, name: String, issuer: String, clientID: String) {
    self.id = id
    self.name = name
    self.issuer = issuer
    self.clientID = clientID
  }

  private static let placeholder = "{tenantid}"

  /// Whether the issuer depends on the account's directory, as at Entra ID.
  public var isTemplate: Bool { issuer.contains(Self.placeholder) }

  /// The address of the provider's description (OpenID Connect Discovery 1.0, section 4).
  public var discoveryURL: String {
    let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
    return base.replacing(Self.placeholder, with: "organizations") + "/.well-known/openid-configuration"
  }

  /// Returns the issuer for one directory of Entra ID.
  public func issuer(ofDirectory directory: String) -> String { issuer.replacing(Self.placeholder, with: directory) }

  /// Returns the issuer that a token must have; `nil` if the token belongs to a directory that is not allowed.
  ///
  /// - Parameter claims: the content of the token.
  func expectedIssuer(_ claims: JSON) -> String? {
    guard isTemplate else { return issuer }
    guard let directory = claims["tid"]?.textValue, allowedTenants.contains(directory) else { return nil }
    return issuer(ofDirectory: directory)
  }

  /// Returns the roles that a person gets from a token; empty if no account may be created for the person.
  ///
  /// - Parameters:
  ///   - claims: the content of the person's token.
  ///   - email: the person's address; `nil` if the provider has not verified it.
  public func roles(for claims: JSON, verifiedEmail email: EmailAddress?) -> [PersonRole] {
    var found: Set<PersonRole> = []
    if let rolesClaim {
      for value in claims[rolesClaim]?.texts ?? [] { found.formUnion(roles[value] ?? []) }
    }
    let domain = email.flatMap { $0.text.split(separator: "@").last.map(String.init) }
    // `driver` is the role with the fewest rights.
    if found.isEmpty, let domain, allowedDomains.contains(domain) { found = [.driver] }
    return PersonRole.allCases.filter { found.contains($0) }
  }
}

extension JSON {
  /// The texts of a claim that is a single text or an array.
  var texts: [String] {
    switch self {
    case .text(let text): [text]
    case .array(let elements): elements.compactMap(\.textValue)
    default: []
    }
  }
}
