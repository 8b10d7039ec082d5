import FleetAccess
import FleetDomain
import HTTPTypes

/// The callers that may use a route.
enum Access: Equatable, Sendable {
  /// All callers, even without a key.
  case open
  /// People who have signed in. They use the route for their own account.
  case people
  /// Callers who may perform an action on at least one thing of an area.
  case may(Action, Area)
  /// The callers of ``may(_:_:)``, and the server's own token, which has access to all tenants.
  case mayOrServer(Action, Area)

  /// The required action and its area; `nil` if the route is open, or if people use it for their own account.
  var need: (action: Action, area: Area)? {
    switch self {
    case .open, .people: nil
    case .may(let action, let area), .mayOrServer(let action, let area): (action, area)
    }
  }

  /// The callers as words, for `openapi.json`.
  var callers: [String] {
    switch self {
    case .open: []
    case .people: ["people who have signed in"]
    case .may(let action, let area), .mayOrServer(let action, let area):
      Self.examples.filter { !Reach(of: $0.requester, to: action, area).isEmpty }.map(\.name)
    }
  }

  private static let examples: [(requester: Requester, name: String)] =
    [(.gateway, "gateways")] + Role.allCases.map { (.token($0), "tokens of role \($0.rawValue)") }
    + PersonRole.allCases.map { (.person(roles: [$0], scope: .all), "people of role \($0.rawValue)") }
}

/// The owner of a credential that only one route accepts, for example of a phone's key.
struct CredentialOwner: Sendable {
  let tenant: TenantID
  let key: SecretHash

  /// The holder to which all requests with this credential belong.
  var holder: Holder { Holder(group: .tenant(tenant), key: key) }
  var storageCaller: StorageCaller { StorageCaller(tenant: tenant, key: key) }
}

/// A route of the server.
struct Route: Sendable {
  let method: HTTPRequest.Method
  let path: RoutePath
  let access: Access
  /// The description in `openapi.json`.
  let operation: Operation
  let answer: @Sendable (Call) async throws -> Answer
  /// Finds the owner of the credential in the head of a request to an open route; `nil` if there is none. The request
  /// then counts for the owner's tenant. Other clients at the same address do not affect it.
  var owner: (@Sendable (HTTPFields, _ parameters: [String], QueryParameters) async throws -> CredentialOwner?)?

  /// Whether the answer is a list that is divided into pages.
  var isList: Bool { method == .get && operation.queryNames.contains("cursor") }

  /// Whether callers without a key may use the route and cause work of the database. Their addresses then have a rate
  /// limit.
  var isForStrangers: Bool {
    access == .open
      && (path.text.hasPrefix(AuthRoutes.path) || path.text.hasPrefix(PhoneRoutes.reports)
        || path.text.hasPrefix(ForwardRoutes.events))
  }

  /// Maximum length of a body in bytes; `nil` for the server's limit (``ServerLimits/bodyBytes``).
  let bodyLimit: Int?

  /// Whether the route itself limits its results and effects to the caller's ``Call/reach``. If not, the caller must
  /// have the permission for all things of the tenant.
  let isFiltered: Bool

  init(
    _ method: HTTPRequest.Method, _ path: String, _ access: Access, _ operation: Operation,
    bodyLimit: Int? = ServerLimits.objectBytes, isFiltered: Bool = false,
    _ answer: @escaping @Sendable (Call) async throws -> Answer
  ) {
    self.method = method
    self.path = RoutePath(path)
    self.access = access
    var operation = operation
    if method == .get, operation.queryNames.contains("cursor") { operation.parameters.append(.format) }
    self.operation = operation
    self.bodyLimit = access == .open ? min(bodyLimit ?? .max, ServerLimits.strangerBytes) : bodyLimit
    self.isFiltered = isFiltered
    self.answer = answer
  }
}
