import HTTPTypes

/// Who may use a route.
enum Access: Equatable, Sendable {
  /// Everybody, without a key.
  case open
  /// Keys of these roles.
  case roles(Set<Caller>)
  /// Keys of these roles, about their tenant, and the server's own token, about all of them.
  case rolesOrServer(Set<Caller>)

  /// Nil: everybody.
  var roles: Set<Caller>? {
    switch self {
    case .open: nil
    case .roles(let roles), .rolesOrServer(let roles): roles
    }
  }

  /// People and programs that read.
  static let readers = Access.roles([.readOnly, .admin])
  /// People and programs that change what is there.
  static let admins = Access.roles([.admin])
}

/// One thing that the server can be asked for.
struct Route: Sendable {
  let method: HTTPRequest.Method
  let path: RoutePath
  let access: Access
  /// What `openapi.json` says of it.
  let operation: Operation
  let answer: @Sendable (Call) async throws -> Answer

  /// Whether it answers with a list, page by page.
  var isList: Bool { method == .get && operation.queryNames.contains("cursor") }

  /// Bytes of a body that only this route takes no more of; `nil`: as many as the server takes.
  var bodyLimit: Int? { operation.body?.types == ["application/json"] ? ServerLimits.objectBytes : nil }

  init(
    _ method: HTTPRequest.Method, _ path: String, _ access: Access, _ operation: Operation,
    _ answer: @escaping @Sendable (Call) async throws -> Answer
  ) {
    self.method = method
    self.path = RoutePath(path)
    self.access = access
    self.operation = operation
    self.answer = answer
  }
}
