import FleetAccess
import FleetDomain
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore

/// Handles HTTP requests: finds the route, authenticates the key, checks permission and rate limit, and sends the
/// answer.
struct RequestHandler: Sendable {
  var table: RouteTable
  /// The web app; `nil` if there is none.
  var web: WebAnswers?
  let authenticator: Authenticator
  let limiter: RateLimiter<SecretHash>
  /// The rate limit of requests without a valid key, for each client address.
  let strangers: RateLimiter<String>
  /// The rate limit of requests to routes that use the database but need no key, for each client address.
  let signIns: RateLimiter<String>
  let lastSeen: LastSeenStore
  let metrics: RequestMetrics
  /// The hash of the server's own token; `nil` if it has none.
  let serverToken: SecretHash?
  let limits: ServerLimits
  let memory: Budget
  /// The memory for requests without a valid key. It is a separate budget, so that these requests cannot use up the
  /// memory for requests with a valid key.
  let strangerMemory: Budget
  let queryPermits: Budget
  let heavyWork: HeavyWork
  let connections: Connections
  let crossOrigin: CrossOrigin
  /// The origin of the server's own pages. Only they may use cookies.
  let ownPages: AllowedOrigins
  /// The columns of lists that can be exported as files.
  let exports: ExportColumns
  let proxies: TrustedProxies
  /// Whether connections to the server use TLS.
  let isTLS: Bool
  let accessLog: AccessLog
  let logger: Logger

  /// A request that passed all checks and may be executed.
  private struct Admitted: Sendable {
    let route: Route
    var call: Call
  }

  /// Handles one request, and sends its answer.
  ///
  /// - Parameter channel: the connection on which the request arrived.
  func respond(_ request: Request, from channel: any Channel, _ writer: consuming ResponseWriter) async throws {
    let client = proxies.client(request.headers, peer: channel.remoteAddress?.ipAddress, isTLS: isTLS)
    let address = client.address
    let start = ContinuousClock.now
    // The memory of the request. It stays reserved until the answer is sent.
    var share = strangerMemory.share(of: .address(address))
    var answer: Answer
    var path = "none"
    var caller: Identity?
    // Whether the request has a valid key, or was already counted as a request without one.
    var isCounted = false
    do {
      try Self.check(request)
      if let file = try await webAnswer(request, from: client, &isCounted) {
        path = WebAnswers.label
        answer = file
      } else {
        let (route, parameters) = try find(request)
        path = route.path.text
        let owner = try await owner(of: request, parameters, from: client, route)
        if route.access == .open, owner == nil, !isCounted {
          isCounted = true
          try await admitStranger(request, from: client)
        }
        let (identity, reach) = try await identify(request, from: client, route, isOwned: owner != nil)
        (caller, isCounted) = (identity, true)
        if let holder = identity?.holder ?? owner?.holder {
          share = memory.share(of: holder)
          guard connections.belongs(channel, to: holder) else { throw Connections.refusal }
        } else {
          guard connections.belongs(channel, toAddress: address) else { throw Connections.tooManyOfAddress }
        }
        var admitted = try admit(request, route, parameters, identity, reach, from: client, share)
        admitted.call.isConnected = { channel.isActive }
        if route.operation.body != nil, request.headers[.expect]?.lowercased() == "100-continue" {
          // Check the announced length first. Otherwise, a client that waits for status 100 would send a body even if
          // it is too long.
          try admitted.call.announcedBytes()
          try await writer.writeInformationalHead(HTTPResponse(status: .continue))
        }
        let storageCaller = identity?.storageCaller ?? owner?.storageCaller ?? Self.stranger(client)
        answer = try await StorageCaller.$current.withValue(storageCaller) {
          try await WriteTimes.$operation.withValue(route.operation.id) { [admitted] in
            try await self.answer(admitted)
          }
        }
      }
    } catch let refusal as MethodRefusal {
      answer = crossOrigin.preflight(request.head, methods: refusal.methods) ?? refusal.answer
    } catch {
      answer = APIError(error, logger: logger).answer
    }
    if !isCounted {
      do throws(APIError) { try await admitStranger(request, from: client) } catch { answer = error.answer }
    }
    if request.method != .head {
      do throws(APIError) { try await AnswerWriter.reserve(for: answer, share) } catch { answer = error.answer }
    }
    // Every answer names the gateway to which the request's key belongs, so that a gateway can detect a wrong key. The
    // value of a header must be visible ASCII (RFC 9110, 5.5).
    if let gateway = caller?.gateway?.id, gateway.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
      answer.headers[.obdgateGateway] = gateway
    }
    crossOrigin.allow(request.headers, in: &answer.headers)
    if client.isTLS { answer.headers[.strictTransportSecurity] = "max-age=31536000" }
    answer = await packed(answer, for: request, caller?.holder ?? .server, share)
    let status = answer.status.code
    let method = Self.known(request.method)
    metrics.record(.init(method: method, route: path, status: status), caller?.tenant, .now - start)
    logger.debug("\(method) \(path) \(status)")
    accessLog.log(
      address, caller, method, request.head.path ?? "/", status, bytes: answer.body.readableBytes, .now - start)
    try await AnswerWriter(channel: channel).send(answer, hasBody: request.method != .head, share)
  }

  /// Returns the answer with a file of the web app; `nil` if the request is not for a file of the app.
  ///
  /// - Parameter isCounted: is set to `true` after the request was counted for its client's address.
  private func webAnswer(_ request: Request, from client: Client, _ isCounted: inout Bool) async throws -> Answer? {
    guard let web, web.isFor(request.head) else { return nil }
    isCounted = true
    try await admitStranger(request, from: client)
    return try await web.answer(to: request.head)
  }

  /// The delay before a request without a valid key is rejected. During the delay, the connection uses no processor
  /// time, because its next request is not read.
  private static let strangerDelay = Duration.seconds(1)

  /// Counts a request that needs no valid key, or has none, for the client's address. If the address has exceeded its
  /// limit, a request that has a valid key counts for that key instead.
  ///
  /// - Throws: 429 if the address has exceeded its limit and the request has no valid key, or if the request's key has
  ///   exceeded its own limit.
  private func admitStranger(_ request: Request, from client: Client) async throws(APIError) {
    guard let seconds = strangers.consume(PeerAddress.group(client.address)) else { return }
    // A request with a valid key counts for the key, so that other clients at the same address do not affect it.
    if let secret = Credential(request.headers, isTLS: client.isTLS)?.secret,
      let found = try? await authenticator.identity(secret, from: client.address)
    {
      if let seconds = limiter.consume(found.key) { throw .tooMany(wait: seconds) }
      return
    }
    // If the server stops during the delay, the error is sent immediately.
    try? await Task.sleep(for: Self.strangerDelay)
    throw Self.tooManyStrangers(seconds)
  }

  private static func stranger(_ client: Client) -> StorageCaller {
    .stranger(Secret.hash(of: PeerAddress.group(client.address)))
  }

  /// Returns the owner of a credential that only this route accepts; `nil` if there is none.
  ///
  /// - Throws: 429 if the owner has sent too many requests, or if the client's address has tried too many unknown
  ///   credentials; errors of the storage.
  private func owner(
    of request: Request, _ parameters: [String], from client: Client, _ route: Route
  ) async throws -> CredentialOwner? {
    guard let find = route.owner else { return nil }
    let query = try Self.query(of: request, route)
    let owner = try await find(request.headers, parameters, query, client.address)
    if let owner, let seconds = limiter.consume(owner.key) { throw APIError.tooMany(wait: seconds) }
    return owner
  }

  private static func query(of request: Request, _ route: Route) throws(APIError) -> QueryParameters {
    let target = request.head.path ?? "/"
    let text = target.utf8.firstIndex(of: UInt8(ascii: "?")).map { target[target.utf8.index(after: $0)...] } ?? ""
    return try QueryParameters(
      text, known: route.operation.hasOtherParameters ? nil : route.operation.queryNames)
  }

  private static func tooManyStrangers(_ seconds: Int) -> APIError {
    APIError(
      .tooManyRequests, "tooManyRequests",
      "more requests without a key than one address may send; wait \(seconds) s", retryAfter: seconds)
  }

  /// Compresses an answer if the client accepts a coding, if the result is shorter, and if there is enough memory.
  ///
  /// An answer with an entity tag is not compressed, because the tag identifies the uncompressed bytes.
  private func packed(
    _ answer: Answer, for request: Request, _ holder: Holder, _ share: Budget.Share
  ) async -> Answer {
    let count = answer.body.readableBytes
    guard request.method == .get || request.method == .head, answer.status == .ok, count >= Packer.least,
      answer.headers[.eTag] == nil
    else { return answer }
    var packed = answer
    packed.headers.addVary("Accept-Encoding")
    let coding = AcceptedCoding.choose(request.headers[.acceptEncoding])
    guard coding != .identity else { return packed }
    let plain = answer.body
    do {
      try await share.grow(to: count + Packer.memory(count))
      guard let body = try await heavyWork.run(count, for: holder, { Packer.pack(plain, coding) }) else {
        return packed
      }
      packed.body = body
    } catch {
      return packed
    }
    packed.isShared = false
    packed.headers[.contentEncoding] = coding.rawValue
    return packed
  }

  private func answer(_ admitted: Admitted) async throws -> Answer {
    guard admitted.route.isList else {
      return try await admitted.route.answer(admitted.call)
    }
    if let format = try ExportFormat(admitted.call.query) { return try await file(admitted, format) }
    return try await page(admitted)
  }

  /// Answers a request for a list with a file that contains the whole list.
  ///
  /// - Throws: 400 if the list cannot be exported as a file.
  private func file(_ admitted: Admitted, _ format: ExportFormat) async throws -> Answer {
    let (route, call) = (admitted.route, admitted.call)
    let schema = route.operation.results.first?.content?.schema ?? ""
    guard let columns = exports.columns(of: schema, fields: call.query["fields"]) else {
      throw APIError.badRequest("query: format: this list has only json")
    }
    let export = ListExport(
      layout: ExportLayout(columns), format: format, call: call,
      page: { cursor in
        var page = call
        page.query = call.query.page(after: cursor)
        let answer = try await StorageCaller.$current.withValue(call.identity?.storageCaller) {
          try await self.page(Admitted(route: route, call: page))
        }
        return answer.body
      })
    return try await export.answer(name: String(route.path.text.split(separator: "/").last ?? "list"))
  }

  private func page(_ admitted: Admitted) async throws -> Answer {
    // A list query may take long. Therefore it needs one of a few permits, which short queries do not need.
    let permit = try await queryPermits.acquire(1, for: admitted.call.holder)
    return try await untilCancelled {
      defer { permit.shrink(to: 0) }
      return try await admitted.route.answer(admitted.call)
    }
  }

  /// Checks the head of a request.
  ///
  /// - Throws: 400 if it has not exactly one header `Host`; 417 for an unknown expectation; 501 for an unknown transfer
  ///   coding.
  private static func check(_ request: Request) throws(APIError) {
    let headers = request.headers
    guard request.head.authority != nil else { throw APIError.badRequest("Host: expected exactly one") }
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
    case .none: throw APIError.notFound("no such path; see /api/openapi.json")
    }
  }

  /// Authenticates the key of a request, and checks whether its owner may use the route.
  ///
  /// - Parameter isOwned: whether the request has a credential that only this route accepts.
  /// - Returns: the identity of the key's owner; `nil` if the route needs no key, or if the key is the server's own
  ///   token.
  /// - Throws: 401; 429; 403 if the owner may not use the route.
  private func identify(
    _ request: Request, from client: Client, _ route: Route, isOwned: Bool
  ) async throws -> (Identity?, Reach?) {
    let credential = Credential(request.headers, isTLS: client.isTLS)
    guard route.access != .open else {
      if route.isForStrangers {
        try SameOrigin.check(request.head, own: ownPages, isCookie: false)
        if !isOwned, let seconds = signIns.consume(PeerAddress.group(client.address)) {
          throw Self.tooManyStrangers(seconds)
        }
      }
      return (nil, nil)
    }
    if case .mayOrServer = route.access, case .bearer(let token) = credential, let serverToken,
      Secret.hash(of: token) == serverToken
    {
      return (nil, nil)
    }
    if case .cookie = credential { try SameOrigin.check(request.head, own: ownPages, isCookie: true) }
    let found = try await authenticator.identity(credential?.secret, from: client.address)
    if let seconds = limiter.consume(found.key) { throw APIError.tooMany(wait: seconds) }
    if let gateway = found.gateway { lastSeen.record(gateway, found.tenant, request.headers) }
    guard let need = route.access.need else {
      guard found.signedIn != nil else {
        throw APIError.forbidden("this is for people who have signed in, and not for keys and tokens")
      }
      return (found, nil)
    }
    guard found.signedIn?.needsFactor != true else { throw AccountService.factorRequired }
    let reach = Reach(of: found.requester, to: need.action, need.area)
    guard !reach.isEmpty, reach.isEverything || route.isFiltered else { throw APIError.forbidden(reach.reason) }
    return (found, reach)
  }

  private func admit(
    _ request: Request, _ route: Route, _ parameters: [String], _ identity: Identity?, _ reach: Reach?,
    from client: Client, _ share: Budget.Share
  ) throws(APIError) -> Admitted {
    let secret = Credential(request.headers, isTLS: client.isTLS)?.secret
    let query = try Self.query(of: request, route)
    return Admitted(
      route: route,
      call: Call(
        request: request, parameters: parameters, query: query, identity: identity, reach: reach,
        area: route.access.need?.area, client: client,
        limits: limits,
        routeBodyLimit: route.bodyLimit, memory: share, heavyWork: heavyWork,
        checkKey: { [authenticator] in
          if identity != nil { _ = try await authenticator.identity(secret, from: client.address) }
        },
        logger: logger))
  }

  /// Returns the name of a method for the labels of metrics. All unknown methods have the same name. Otherwise, clients
  /// could create any number of labels.
  private static func known(_ method: HTTPRequest.Method) -> String {
    switch method {
    case .get, .head, .post, .put, .delete, .patch, .options: method.rawValue
    default: "other"
    }
  }
}

/// The error with status 405: the path exists, but not for this method.
private struct MethodRefusal: Error {
  let allowed: [HTTPRequest.Method]

  /// The methods for which the path exists. They include `HEAD` if they include `GET`.
  var methods: [HTTPRequest.Method] { allowed.contains(.get) ? [.head] + allowed : allowed }

  var answer: Answer {
    let names = methods.map(\.rawValue)
    var answer = APIError(
      .methodNotAllowed, "methodNotAllowed", "this path has only \(names.joined(separator: ", "))"
    ).answer
    answer.headers[.allow] = names.joined(separator: ", ")
    return answer
  }
}
