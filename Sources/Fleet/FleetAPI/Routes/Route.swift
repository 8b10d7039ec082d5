import FleetAccess
import FleetDomain
import HTTPTypes

/// The callers that may send requests to a route.
enum Access: Equatable, Sendable {
  /// All callers, even without a key.
  case open
  /// Only people who have signed in. They use the route for their own account.
  case people
  /// Callers who may perform an action on at least one thing of an area.
  case may(Action, Area)
  /// The same callers as ``may(_:_:)``, and the server's own token, which has access to all tenants.
  case mayOrServer(Action, Area)

  /// The required action and its area; `nil` for ``open`` and ``people``.
  var need: (action: Action, area: Area)? {
    switch self {
    case .open, .people: nil
    case .may(let action, let area), .mayOrServer(let action, let area): (action, area)
    }
  }

  /// Descriptions of the callers, for `openapi.json`.
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
  /// The description of the route in `openapi.json`.
  let operation: Operation
  let answer: @Sendable (Call) async throws -> Answer
  /// Finds the owner of the credential in the head of a request to an open route; `nil` if there is none. If there is
  /// an owner, the request counts for the owner's tenant and not for the client's address, so that other clients at
  /// this address do not affect it.
  var owner:
    (
      @Sendable (HTTPFields, _ parameters: [String], QueryParameters, _ address: String?) async throws
        -> CredentialOwner?
    )?

  /// Whether the answer is a list that clients read page by page.
  var isList: Bool { method == .get && operation.queryNames.contains("cursor") }

  /// Whether requests without a key can use the database through this route. The rate of such requests is limited for
  /// each client address.
  var isForStrangers: Bool {
    access == .open
      && (path.text.hasPrefix(AuthRoutes.path) || path.text.hasPrefix(PhoneRoutes.reports)
        || path.text.hasPrefix(ForwardRoutes.events))
  }

  /// The route's own maximum length of a body in bytes; `nil` if only the server's limit applies
  /// (``ServerLimits/bodyBytes``).
  let bodyLimit: Int?

  /// Whether the code of the route limits its results and effects to the caller's ``Call/reach``. If not, the caller
  /// must have the permission for all things of the tenant.
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
    guard method == .post, operation.body == nil, access != .open else {
      self.answer = answer
      return
    }
    // A client that sends values to a command without values would believe that they are used.
    self.answer = { call in
      try await call.requireEmptyBody()
      return try await answer(call)
    }
  }
}
