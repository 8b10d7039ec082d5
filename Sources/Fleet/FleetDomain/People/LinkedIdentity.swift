import Telemetry

/// An account of a person at an OpenID provider, with which the person signs in.
///
/// Issuer and subject identify it, never an email address: addresses can be changed and given to others.
public struct LinkedIdentity: Kind {
  public var personID = UUIDv7(milliseconds: 0, first: 0, rest: 0)
  /// The provider's id in the configuration.
  public var provider = ""
  /// The provider's own identifier (OpenID Connect Core 1.0, section 2, `iss`).
  public var issuer = ""
  /// The account's identifier at the provider.
  public var subject = ""
  /// The name of the account that the provider gave when it was linked, for example an email address.
  public var name: String?
  public var lastUsedAt: Timestamp?

  public init() {}

  public static let names = KindNames(one: "linkedIdentity", many: "linked-identities")
  public static let fields: [Field<LinkedIdentity>] = [
    Field("personId", \.personID).settable(by: .server).filterable(),
    Field("provider", \.provider).settable(by: .server).filterable(),
    Field("issuer", \.issuer).settable(by: .server).filterable(),
    Field("subject", \.subject).settable(by: .server).filterable().personal(),
    Field("name", \.name).settable(by: .server).personal(),
    Field("lastUsedAt", \.lastUsedAt).settable(by: .server),
  ]

  public func subject(id: UUIDv7) -> UUIDv7 { personID }
}
