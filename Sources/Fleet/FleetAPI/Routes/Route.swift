import HTTPTypes

/// The callers that may use a route.
enum Access: Equatable, Sendable {
  /// Everybody, without a key.
  case open
  /// Keys of these roles.
  case roles(Set<Caller>)
  /// Keys of these roles, for their tenant, and the server's own token, for all tenants.
  case rolesOrServer(Set<Caller>)

  /// `nil` for everybody.
  var roles: Set<Caller>? {
    switch self {
    case .open: nil
    case .roles(let roles), .rolesOrServer(let roles): roles
    }
  }

  /// Operators that read.
  static let readers = Access.roles([.readOnly, .admin])
  /// Operators that make changes.
  static let admins = Access.roles([.admin])
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

  /// The longest body in bytes; `nil`: as long as the server takes (``ServerLimits/bodyBytes``).
  let bodyLimit: Int?

  init(
    _ method: HTTPRequest.Method, _ path: String, _ access: Access, _ operation: Operation,
    bodyLimit: Int? = ServerLimits.objectBytes, _ answer: @escaping @Sendable (Call) async throws -> Answer
  ) {
    self.method = method
    self.path = RoutePath(path)
    self.access = access
    self.operation = operation
    self.bodyLimit = bodyLimit
    self.answer = answer
  }
}
