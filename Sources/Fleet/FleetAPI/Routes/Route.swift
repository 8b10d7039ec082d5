import FleetAccess
import FleetDomain
import HTTPTypes

/// The callers that may use a route.
enum Access: Equatable, Sendable {
  /// All callers, even without a key.
  case open
  /// People who have signed in, for their own account.
  case people
  /// Callers to whom the permission function allows an action for something in an area.
  case may(Action, Area)
  /// The same for callers of a tenant; in addition, the server's own token for all tenants.
  case mayOrServer(Action, Area)

  /// The action and its area; `nil` if the permission function is not used.
  var need: (action: Action, area: Area)? {
    switch self {
    case .open, .people: nil
    case .may(let action, let area), .mayOrServer(let action, let area): (action, area)
    }
  }

  /// The permitted callers, in words.
  var callers: [String] {
    switch self {
    case .open: []
    case .people: ["people who have signed in"]
    case .may(let action, let area), .mayOrServer(let action, let area):
      Self.examples.filter { !Reach(of: $0.requester, to: action, area).isEmpty }.map(\.name)
    }
  }

  private static let examples: [(requester: Requester, name: String)] =
    [
      (.gateway, "gateways"), (.token(.admin), "tokens of role admin"), (.token(.readOnly), "tokens of role readOnly"),
    ] + PersonRole.allCases.map { (.person(roles: [$0], scope: .all), "people of role \($0.rawValue)") }
}

/// A route of the server.
struct Route: Sendable {
  let method: HTTPRequest.Method
  let path: RoutePath
  let access: Access
  /// The description in `openapi.json`.
  let operation: Operation
  let answer: @Sendable (Call) async throws -> Answer

  /// Whether the answer is a list in pages.
  var isList: Bool { method == .get && operation.queryNames.contains("cursor") }

  /// Maximum length of a body in bytes; `nil` to use the limit of the server (``ServerLimits/bodyBytes``).
  let bodyLimit: Int?

  /// Whether the route restricts its results and effects to the caller's ``Call/reach``. Other routes need a permission
  /// for all things of the tenant.
  let isFiltered: Bool

  init(
    _ method: HTTPRequest.Method, _ path: String, _ access: Access, _ operation: Operation,
    bodyLimit: Int? = ServerLimits.objectBytes, isFiltered: Bool = false,
    _ answer: @escaping @Sendable (Call) async throws -> Answer
  ) {
    self.method = method
    self.path = RoutePath(path)
    self.access = access
    self.operation = operation
    self.bodyLimit = bodyLimit
    self.isFiltered = isFiltered
    self.answer = answer
  }
}
