import FleetDomain
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore

/// From a request to its answer: which route, whose key, whether they may, and how often.
struct RequestDesk: Sendable {
  var table: RouteTable
  let authenticator: Authenticator
  let limiter: RateLimiter<SecretHash>
  let sightings: SightingBook
  let metrics: RequestMetrics
  /// The server's own token; nil: it has none.
  let serverToken: SecretHash?
  let limits: ServerLimits
  let memory: Budget
  let keyMemory: KeyBudgets
  let questions: Budget
  let logger: Logger

  /// A request that was let in.
  private struct Admitted: Sendable {
    let route: Route
    let call: Call
  }

  /// - Parameter address: where the request comes from.
  func respond(_ request: Request, from address: String?, _ writer: consuming ResponseWriter) async throws {
    let start = ContinuousClock.now
    // Held until the answer is on its way.
    let share = RequestMemory(memory.share())
    var answer: Answer
    var path = "none"
    var tenant: TenantID?
    var gateway: String?
    do {
      try Self.check(request.headers)
      let (route, parameters) = try find(request)
      path = route.path.text
      let identity = try await identify(request, from: address, route)
      tenant = identity?.tenant
      gateway = identity?.gateway?.id
      if let identity { share.count(for: keyMemory.share(of: identity.key)) }
      let admitted = try admit(request, route, parameters, identity, share)
      if request.headers[.expect]?.lowercased() == "100-continue" {
        try await writer.writeInformationalHead(HTTPResponse(status: .continue))
      }
      answer = try await self.answer(admitted)
    } catch let refusal as MethodRefusal {
      answer = refusal.answer
    } catch {
      answer = APIError(error, logger: logger).answer
    }
    // A gateway with another's key learns it from whatever it is told. A header's text is visible ASCII (RFC 9110, 5.5).
    if let gateway, gateway.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
      answer.headers[.obdgateGateway] = gateway
    }
    let status = answer.status.code
    metrics.note(.init(method: Self.known(request.method), route: path, status: status), tenant, .now - start)
    logger.debug("\(Self.known(request.method)) \(path) \(status)")
    try await send(answer, hasBody: request.method != .head, share, writer)
  }

  /// Bytes of an answer that are written at once.
  private static let piece = 64 << 10

  /// - Parameter share: what the request has held so far; of it only as much is kept as the answer still needs.
  private func send(
    _ answer: Answer, hasBody: Bool, _ share: RequestMemory, _ writer: consuming ResponseWriter
  ) async throws {
    guard hasBody else {
      try await writer.writeResponse(answer.head)
      return
    }
    share.shrink(to: answer.body.readableBytes)
    guard answer.body.readableBytes > Self.piece else {
      share.shrink(to: 0)
      try await writer.write(response: answer.head, body: ResponseBody(byteBuffer: answer.body))
      return
    }
    // As fast as it is taken: a piece waits until those before it are in the kernel's hands.
    var body = try await writer.writeHead(answer.head)
    var start = answer.body.readerIndex
    while start < answer.body.writerIndex {
      let end = min(start + Self.piece, answer.body.writerIndex)
      // A copy: a slice would keep the whole answer for as long as its last bytes are under way.
      try await body.write(ByteBuffer(bytes: answer.body.getBytes(at: start, length: end - start) ?? []))
      start = end
    }
    try await body.finish(nil)
  }

  private func answer(_ admitted: Admitted) async throws -> Answer {
    guard admitted.route.isList else {
      return try await admitted.route.answer(admitted.call)
    }
    // It may take long: the places are few, and what is short does not wait for them.
    let place = try await questions.take(1)
    return try await untilCancelled {
      defer { place.shrink(to: 0) }
      return try await admitted.route.answer(admitted.call)
    }
  }

  /// - Throws: 400, 417, 501.
  private static func check(_ headers: HTTPFields) throws(APIError) {
    if let fault = headers[.fault] { throw APIError.badRequest(fault) }
    if let coding = headers[.transferEncoding], coding.lowercased() != "chunked" {
      throw APIError(
        .notImplemented, "unknownTransferCoding", "Transfer-Encoding: expected chunked, found \(quoted(coding))")
    }
    if let expected = headers[.expect], expected.lowercased() != "100-continue" {
      throw APIError(
        .expectationFailed, "unknownExpectation", "Expect: expected 100-continue, found \(quoted(expected))")
    }
  }

  private func find(_ request: Request) throws -> (Route, [String]) {
    let target = request.head.path ?? "/"
    let path = target.prefix { $0 != "?" }
    switch try table.match(request.method, path) {
    case .found(let route, let parameters): return (route, parameters)
    case .otherMethods(let methods): throw MethodRefusal(allowed: methods)
    case .none: throw APIError.notFound("no such path; /api/openapi.json lists them")
    }
  }

  /// Whose key it is; nil: nobody's is asked for, or it is the server's own.
  ///
  /// - Throws: 401, 429, 403 where the key's role is not one of the route's.
  private func identify(_ request: Request, from address: String?, _ route: Route) async throws -> Identity? {
    guard let allowed = route.access.roles else { return nil }
    let token = BearerToken.parse(request.headers[.authorization])
    if case .rolesOrServer = route.access, let token, let serverToken, Secret.hash(of: token) == serverToken {
      return nil
    }
    let found = try await authenticator.identity(token, from: address)
    if let seconds = limiter.take(found.key) { throw APIError.tooMany(wait: seconds) }
    if let gateway = found.gateway { sightings.note(gateway, found.tenant, request.headers) }
    guard allowed.contains(found.caller) else {
      throw APIError.forbidden(
        "the key is one of role \(found.caller.rawValue); this needs "
          + allowed.map(\.rawValue).sorted().joined(separator: " or "))
    }
    return found
  }

  private func admit(
    _ request: Request, _ route: Route, _ parameters: [String], _ identity: Identity?, _ share: RequestMemory
  ) throws(APIError) -> Admitted {
    let target = request.head.path ?? "/"
    let query = try QueryParameters(target.firstIndex(of: "?").map { target[target.index(after: $0)...] } ?? "")
    try query.refuseOthers(than: route.operation.queryNames)
    return Admitted(
      route: route,
      call: Call(
        request: request, parameters: parameters, query: query, identity: identity, limits: limits, memory: share,
        logger: logger))
  }

  /// Methods become labels of metrics: what a client makes up must not.
  private static func known(_ method: HTTPRequest.Method) -> String {
    switch method {
    case .get, .head, .post, .put, .delete, .patch, .options: method.rawValue
    default: "other"
    }
  }
}

/// 405: there is the path, but not this method.
private struct MethodRefusal: Error {
  let allowed: [HTTPRequest.Method]

  var answer: Answer {
    let names = (allowed.contains(.get) ? [.head] + allowed : allowed).map(\.rawValue)
    var answer = APIError(
      .methodNotAllowed, "methodNotAllowed", "this path takes \(names.joined(separator: ", "))"
    ).answer
    answer.headers[.allow] = names.joined(separator: ", ")
    return answer
  }
}
