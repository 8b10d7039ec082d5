import FleetDomain
import FleetProviders
import FleetWork
import Telemetry

/// The configured access to another program, usually a cloud service, from which records of vehicles are pulled.
public struct Connector: Kind {
  /// The programs that are supported.
  public enum Service: String, FieldChoice, Sendable {
    case samsara
    /// A server of construction machines that implements ISO 15143-3, also called AEMP 2.0.
    case aemp
    case tesla
    case ford
  }

  /// The method by which this server authenticates its requests.
  public enum SignIn: String, FieldChoice, Sendable {
    /// The secret is a token that is sent with each request.
    case bearer
    /// User name and password are sent with each request (HTTP Basic).
    case basic
    /// The secret is sent in a header.
    case apiKey
    /// The client credentials grant of OAuth 2.0 (RFC 6749, section 4.4).
    case clientCredentials
    /// The password grant of OAuth 2.0 (RFC 6749, section 4.3).
    case password
    /// The refresh token grant of OAuth 2.0 (RFC 6749, section 6). Each use replaces the refresh token.
    case refreshToken
    /// User name and password are sent to the token address, which answers with a token as plain text.
    case plainToken
  }

  public enum State: String, FieldChoice, Sendable {
    /// Nothing was pulled yet.
    case waiting
    case working
    /// The last attempt failed and will be repeated.
    case failing
    /// The other program rejects the secret, or a setting is missing. A person must change the settings.
    case refused
  }

  public var name = ""
  public var service = Service.samsara
  public var isActive = true
  /// The address of the other program; `nil` for the vendor's usual address.
  public var address: String?
  /// The time between two pulls, s; `nil` for the service's default.
  public var period: Int64?
  public var signIn: SignIn?
  /// The address from which tokens are fetched; `nil` if there is none.
  public var tokenAddress: String?
  public var clientID: String?
  public var userName: String?
  public var scope: String?
  /// The name of the header that contains the key (``SignIn/apiKey``); `nil` for `X-API-Key`.
  public var keyHeader: String?
  /// Whether the time series of the machines' faults are pulled (``Service/aemp``). Each machine needs a request.
  public var readsFaults = false
  /// The encrypted secret: a token, a key, a password or a client secret; `nil` if there is none.
  public var secret: String?
  /// The encrypted key with which signatures of webhooks are checked; `nil` if there are no webhooks.
  public var webhookSecret: String?
  public var state = State.waiting
  public var lastPullAt: Timestamp?
  public var lastSuccessAt: Timestamp?
  /// The number of assets that the connector has reported.
  public var assets: Int64 = 0
  /// The number of records that were stored.
  public var stored: Int64 = 0
  /// For each reason, the number of values that were ignored.
  public var ignored = JSON.object([:])
  /// The last failures, the newest first.
  public var failures: [RecentFailure] = []

  public init() {}

  public static let names = KindNames(one: "connector", many: "connectors")
  public static let mostOfTenant: Int? = 50
  public static let fields: [Field<Connector>] = [
    Field("name", \.name, TextRules.unique).required().sortable().textSearched(),
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
    Field("keyHeader", \.keyHeader, RequestHeader.checkKeyName).schema(RequestHeader.keyNameSchema),
    Field("readsFaults", \.readsFaults),
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
      guard
        ProviderClient.isAllowed(
          address.replacing("{page}", with: "1"), mayUseLoopback: mayUsePrivate, mayUsePrivate: mayUsePrivate)
      else {
        throw .invalid(FieldErrors([FieldError(key, "expected https://… of another machine")]))
      }
    }
    if service == .aemp, address == nil {
      throw .invalid(FieldErrors([FieldError("address", "expected the address of the service")]))
    }
  }

  /// Checks a secret of a connector.
  ///
  /// - Parameter key: the key of the setting, for the error.
  public static func check(secret: String, key: String) throws(FieldError) {
    try RequestHeader.checkSecret(secret, key)
  }

  /// The gateway ID in the records of a connector.
  public static func gatewayName(_ id: UUIDv7) -> String { "connector-\(id.string)" }
}

/// The progress of a connector, and the server that pulls from it. It has the same ID as the connector.
public struct ConnectorProgress: LeasedWork {
  /// For each stream, the cursor with which the next pull continues.
  public var cursors = JSON.object([:])
  /// Access and refresh token, encrypted; `nil` if there are none.
  public var tokens: String?
  /// The server that has the lease until ``leaseUntil``; `nil` if none has it.
  public var leaseHolder: UUIDv7?
  public var leaseUntil: Timestamp?
  /// The time of the next pull; `nil` while the connector is not active.
  public var nextPullAt: Timestamp?
  /// Number of failures since the last success.
  public var failures: Int64 = 0

  public init() {}

  public static let isAudited = false
  public static let dueKey = "nextPullAt"
  public static let names = KindNames(one: "connectorProgress", many: "connector-progress")
  public static let fields: [Field<ConnectorProgress>] = [
    Field("cursors", \.cursors), Field("tokens", \.tokens),
    Field("leaseHolder", \.leaseHolder), Field("leaseUntil", \.leaseUntil).sortable(),
    Field("nextPullAt", \.nextPullAt).sortable(), Field("failures", \.failures),
  ]
}

/// The link between a vehicle or machine that a connector reports (an asset) and the vehicle of the fleet. If several
/// connectors report the same vehicle, there is one link for each connector.
public struct ConnectedAsset: VehicleThing {
  public var connectorID = UUIDv7(milliseconds: 0, first: 0, rest: 0)
  /// The asset's ID in the other program.
  public var assetID = ""
  public var vehicle = ""
  public var vin: String?
  public var serial: String?
  public var name: String?
  /// The charge in progress (``ChargeFollower``); `nil` if none was ever reported.
  public var charge: JSON?

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
    Field("charge", \.charge).settable(by: .hidden),
  ]
}
