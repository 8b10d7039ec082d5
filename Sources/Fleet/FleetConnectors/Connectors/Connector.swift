import FleetDomain
import FleetProviders
import FleetWork
import Telemetry

/// The access to another program, usually in a cloud, from which records of vehicles are pulled.
public struct Connector: Kind {
  /// The programs that are supported.
  public enum Service: String, FieldChoice, Sendable {
    case samsara
    /// Machines by ISO 15143-3, also called AEMP 2.0.
    case aemp
    case tesla
    case ford
  }

  /// How the server signs in.
  public enum SignIn: String, FieldChoice, Sendable {
    /// The secret is a token, which is sent with each request.
    case bearer
    /// User name and password with each request.
    case basic
    /// The secret is sent in a header.
    case apiKey
    /// OAuth 2.0, RFC 6749, 4.4.
    case clientCredentials
    /// OAuth 2.0, RFC 6749, 4.3.
    case password
    /// OAuth 2.0, RFC 6749, 6. The refresh token is replaced whenever it was used.
    case refreshToken
    /// User name and password; the answer is a token as plain text.
    case plainToken
  }

  public enum State: String, FieldChoice, Sendable {
    /// Nothing was pulled yet.
    case waiting
    case working
    /// The last attempt failed; it is repeated.
    case failing
    /// The other program rejects the secret. It must be changed.
    case refused
  }

  /// A failed attempt.
  public struct Failure: NestedValue {
    public var at = Timestamp(nanoseconds: 0)
    public var message = ""

    public init() {}

    public init(at: Timestamp, message: String) { (self.at, self.message) = (at, message) }

    public static let fields: [Field<Failure>] = [Field("at", \.at).required(), Field("message", \.message).required()]
  }

  /// The number of failures that are kept.
  public static let mostFailures = 10

  public var name = ""
  public var service = Service.samsara
  public var isActive = true
  /// The address of the other program; `nil` for that of the vendor.
  public var address: String?
  /// The time between two pulls, s; `nil` for the usual time of the service.
  public var period: Int64?
  public var signIn: SignIn?
  /// The address from which tokens are fetched; `nil` if there is none.
  public var tokenAddress: String?
  public var clientID: String?
  public var userName: String?
  public var scope: String?
  /// The name of the header for ``SignIn/apiKey``.
  public var keyHeader: String?
  /// The secret: a token, a key, a password, or the secret of the client; encrypted. `nil` if there is none.
  public var secret: String?
  /// The key of the signatures of webhooks; encrypted. `nil` if there are none.
  public var webhookSecret: String?
  public var state = State.waiting
  public var lastPullAt: Timestamp?
  public var lastSuccessAt: Timestamp?
  /// The number of assets that the last pulls have shown.
  public var assets: Int64 = 0
  /// The number of records that were stored.
  public var stored: Int64 = 0
  /// What was kept out, by reason, with its number.
  public var ignored = JSON.object([:])
  /// The last failures, the newest first.
  public var failures: [Failure] = []

  public init() {}

  public static let names = KindNames(one: "connector", many: "connectors")
  public static let fields: [Field<Connector>] = [
    Field("name", \.name, TextRules.shown).required().sortable().textSearched(),
    Field("service", \.service).required().settable(by: .creation).filterable().sortable(),
    Field("isActive", \.isActive).filterable(),
    Field("address", \.address, TextRules.short(1_000)),
    Field("period", \.period) { period throws(FieldError) in
      guard period.map({ (5...86_400).contains($0) }) ?? true else {
        throw FieldError("", "expected 5 to 86400 seconds")
      }
    }.schema(#"{"type":"integer","minimum":5,"maximum":86400}"#),
    Field("signIn", \.signIn),
    Field("tokenAddress", \.tokenAddress, TextRules.short(1_000)),
    Field("clientId", \.clientID, TextRules.short(256)),
    Field("userName", \.userName, TextRules.short(256)),
    Field("scope", \.scope, TextRules.short(1_000)),
    Field("keyHeader", \.keyHeader, HeaderRules.name),
    Field("secret", \.secret).settable(by: .hidden),
    Field("webhookSecret", \.webhookSecret).settable(by: .hidden),
    Field("state", \.state).settable(by: .live).filterable(),
    Field("lastPullAt", \.lastPullAt).settable(by: .live),
    Field("lastSuccessAt", \.lastSuccessAt).settable(by: .live),
    Field("assets", \.assets).settable(by: .live),
    Field("stored", \.stored).settable(by: .live),
    Field("ignored", \.ignored).settable(by: .live).schema(
      #"{"description":"What was kept out, by reason.","type":"object","additionalProperties":{"type":"integer"}}"#),
    Field("failures", \.failures).settable(by: .live),
  ]

  /// Checks the rules that concern several fields.
  ///
  /// - Parameter mayUsePrivate: whether addresses of this machine are allowed.
  /// - Throws: `invalid`.
  public func check(mayUsePrivate: Bool) throws(ThingError) {
    for (key, address) in [("address", address), ("tokenAddress", tokenAddress)] {
      guard let address else { continue }
      guard ProviderClient.isAllowed(address.replacing("{page}", with: "1"), mayUseLoopback: mayUsePrivate) else {
        throw .invalid(FieldErrors([FieldError(key, "expected https://… of another machine")]))
      }
    }
    if service == .aemp, address == nil {
      throw .invalid(FieldErrors([FieldError("address", "expected the address of the service")]))
    }
  }

  /// The id of the sender in the records that it brings.
  public static func gatewayName(_ id: UUIDv7) -> String { "connector-\(id.string)" }
}

/// The progress of a connector, and which server works on it. Its id is that of the connector.
public struct ConnectorProgress: Kind {
  /// For each stream, the position after which the next pull begins.
  public var cursors = JSON.object([:])
  /// Access and refresh token, encrypted; `nil` if there are none.
  public var tokens: String?
  /// The server that works on it, until ``leaseUntil``; `nil` if there is none.
  public var leaseHolder: UUIDv7?
  public var leaseUntil: Timestamp?
  /// The time of the next pull; `nil` while the connector is not active.
  public var nextPullAt: Timestamp?
  /// Number of failures since the last success.
  public var failures: Int64 = 0

  public init() {}

  public static let isAudited = false
  public static let names = KindNames(one: "connectorProgress", many: "connector-progress")
  public static let fields: [Field<ConnectorProgress>] = [
    Field("cursors", \.cursors), Field("tokens", \.tokens),
    Field("leaseHolder", \.leaseHolder), Field("leaseUntil", \.leaseUntil).sortable(),
    Field("nextPullAt", \.nextPullAt).sortable(), Field("failures", \.failures),
  ]
}

/// A vehicle or machine as a connector knows it, and the vehicle of the fleet that it is. A vehicle that several
/// connectors report has one of these for each.
public struct ConnectedAsset: VehicleThing {
  public var connectorID = UUIDv7(milliseconds: 0, first: 0, rest: 0)
  /// Its id in the other program.
  public var assetID = ""
  public var vehicle = ""
  public var vin: String?
  public var serial: String?
  public var name: String?

  public init() {}

  public var vehicleID: String? { vehicle }

  public static let isAudited = false
  public static let names = KindNames(one: "connectedAsset", many: "connected-assets")
  public static let fields: [Field<ConnectedAsset>] = [
    Field("connectorId", \.connectorID).settable(by: .server).filterable(as: "connector"),
    Field("assetId", \.assetID).settable(by: .server).filterable().sortable(),
    Field("vehicleId", \.vehicle).settable(by: .server).filterable(as: "vehicle").sortable(),
    Field("vin", \.vin).settable(by: .server).filterable(),
    Field("serial", \.serial).settable(by: .server),
    Field("name", \.name).settable(by: .server).sortable(),
  ]
}
