import FleetDomain
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore

/// From a request to its answer: which route, whose key, whether they may, and how often.
struct RequestDesk: Sendable {
  let table: RouteTable
  let authenticator: Authenticator
  let limiter: RateLimiter
  let sightings: SightingBook
  let metrics: RequestMetrics
  let limits: ServerLimits
  let logger: Logger

  /// A request that was let in.
  private struct Admitted {
    let route: Route
    let call: Call
  }

  func respond(_ request: Request, _ writer: consuming ResponseWriter) async throws {
    let start = ContinuousClock.now
    var answer: Answer
    var path = "none"
    do {
      let (route, parameters) = try find(request)
      path = route.path.text
      let admitted = try await admit(request, route, parameters)
      if request.headers[.expect]?.lowercased() == "100-continue" {
        try await writer.writeInformationalHead(HTTPResponse(status: .continue))
      }
      answer = try await admitted.route.answer(admitted.call)
    } catch let refusal as MethodRefusal {
      answer = refusal.answer
    } catch {
      answer = APIError(error, logger: logger).answer
    }
    let status = answer.status.code
    metrics.note(.init(method: Self.known(request.method), route: path, status: status), .now - start)
    logger.debug("\(Self.known(request.method)) \(path) \(status)")
    if request.method == .head {
      try await writer.writeResponse(answer.head)
    } else {
      try await writer.write(response: answer.head, body: ResponseBody(byteBuffer: answer.body))
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

  private func admit(_ request: Request, _ route: Route, _ parameters: [String]) async throws -> Admitted {
    var identity: Identity?
    if case .roles(let allowed) = route.access {
      let found = try await authenticator.identity(BearerToken.parse(request.headers[.authorization]))
      if let seconds = limiter.take(found.key) {
        throw APIError(
          .tooManyRequests, "tooManyRequests", "more requests than one key may make; wait \(seconds) s",
          retryAfter: seconds)
      }
      if let gateway = found.gateway { sightings.note(gateway, found.tenant, request.headers) }
      guard allowed.contains(found.caller) else {
        throw APIError.forbidden(
          "the key is one of role \(found.caller.rawValue); this needs "
            + allowed.map(\.rawValue).sorted().joined(separator: " or "))
      }
      identity = found
    }
    let target = request.head.path ?? "/"
    let query = try QueryParameters(target.firstIndex(of: "?").map { target[target.index(after: $0)...] } ?? "")
    try query.refuseOthers(than: route.operation.queryNames)
    return Admitted(
      route: route,
      call: Call(
        request: request, parameters: parameters, query: query, identity: identity, limits: limits, logger: logger))
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
