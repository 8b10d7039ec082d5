import Telemetry

/// An account at an OpenID provider with which a person signs in.
///
/// The account is identified by issuer and subject, never by an email address, because an address can be changed or
/// given to another person.
public struct LinkedIdentity: Kind {
  public var personID = UUIDv7(milliseconds: 0, first: 0, rest: 0)
  /// The id of the provider in the configuration.
  public var provider = ""
  /// The identifier of the provider (OpenID Connect Core 1.0, section 2, `iss`).
  public var issuer = ""
  /// The identifier that the provider gives the account.
  public var subject = ""
  /// The identifier that the provider gives the account for this client (`sub`); `nil` if it is the same as
  /// ``subject``. Logout tokens of Entra ID contain only this identifier.
  public var clientSubject: String?
  /// A name of the account for people, for example an email address, as the provider sent it when the account was
  /// linked; `nil` if the provider sent none.
  public var name: String?
  public var lastUsedAt: Timestamp?

  public init() {}

  public static let names = KindNames(one: "linkedIdentity", many: "linked-identities")
  public static let fields: [Field<LinkedIdentity>] = [
    Field("personId", \.personID).settable(by: .server).filterable(),
    Field("provider", \.provider).settable(by: .server).filterable(),
    Field("issuer", \.issuer).settable(by: .server).filterable(),
    Field("subject", \.subject).settable(by: .server).filterable().personal(),
    Field("clientSubject", \.clientSubject).settable(by: .hidden).personal(),
    Field("name", \.name).settable(by: .server).personal(),
    Field("lastUsedAt", \.lastUsedAt).settable(by: .server),
  ]

  public func subject(id: UUIDv7) -> UUIDv7 { personID }
}
