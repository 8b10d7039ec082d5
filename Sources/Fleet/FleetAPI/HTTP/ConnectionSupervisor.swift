import NIOCore
import NIOHTTP1

/// Closes a connection if the client makes the server wait for too long, if it does not use HTTP, or if the connection
/// is idle when the server stops. Also controls ``RequestPacer``, which delays each request until the answer to the
/// previous request was written to the socket.
///
/// The handler's place in the pipeline is after the HTTP codec and before the upgrade handler. When a connection is
/// upgraded, the upgrade handler removes this handler. All calls are on the connection's event loop.
final class ConnectionSupervisor: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private let limits: ServerLimits
  private let pacer: RequestPacer
  /// Returns whether the client has only a short time for its next request, because almost all connections are in use.
  private let isHurried: () -> Bool
  /// Number of requests whose answer was not completely sent yet.
  private var unanswered = 0
  /// Number of answers that were written to the channel, but that the socket has not accepted completely.
  private var unwritten = 0
  /// Whether a part of a request's body has not arrived yet.
  private var isReading = false
  /// Whether the connection is closed after the current answer. Reasons are that the server stops, or that no further
  /// request can be read from the connection.
  private var isLast = false
  /// Whether the client waits for status 100 before it sends the body.
  private var isExpected = false
  /// Whether a request was answered before its body had arrived completely. If so, the remaining part of the body is
  /// read and discarded for some time. Closing the connection immediately would reset it, and the client might lose the
  /// answer.
  private var isLingering: Bool { isReading && unanswered == 0 }
  private var deadline: Scheduled<Void>?

  init(limits: ServerLimits, pacer: RequestPacer, isHurried: @escaping () -> Bool = { false }) {
    self.limits = limits
    self.pacer = pacer
    self.isHurried = isHurried
  }

  /// Time limit for the TLS handshake, for the head of a request, and for the pause between two requests, in s.
  private var headSeconds: Int {
    isHurried() ? min(limits.hurriedSeconds, limits.idleSeconds) : limits.idleSeconds
  }

  func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { wait(headSeconds, context) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

  /// Pauses ``RequestPacer`` while an answer is being made or sent. However, while the body of the only unanswered
  /// request is still arriving, the pacer is not paused. If two requests are unanswered, the head of the second one was
  /// decoded early; its body is decoded only after the first request was answered.
  private func pace() {
    pacer.pace(isPaused: unanswered > 1 || !isReading && unanswered + unwritten > 0, isInBody: isReading)
  }

  func channelActive(context: ChannelHandlerContext) {
    wait(headSeconds, context)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(var head):
      unanswered += 1
      // A request with such a head is the last HTTP request on this connection.
      if head.headers.contains(name: "Upgrade") || head.method == .CONNECT || !head.isKeepAlive { isLast = true }
      // The server cannot find the end of a body with an unknown transfer coding (RFC 9112, 6.3).
      if head.headers["Transfer-Encoding"].contains(where: { $0.lowercased() != "chunked" }) { isLast = true }
      isReading = true
      pace()
      wait(limits.requestSeconds, context)
      Self.normalize(&head)
      isExpected = head.headers.contains(name: "Expect")
      context.fireChannelRead(wrapInboundOut(.head(head)))
      return
    case .body:
      isExpected = false
      if isLingering { return }
    case .end where isLingering && isLast:
      isReading = false
      if unwritten == 0 { context.close(promise: nil) }
      return
    case .end:
      isReading = false
      pace()
      // This deadline was for the arrival of the request. The request has now arrived completely.
      deadline?.cancel()
      if unanswered == 0 { wait(headSeconds, context) }
    }
    context.fireChannelRead(data)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    // No other handler reads the bytes that must be discarded, so continue to read here.
    if isLingering { context.read() }
    context.fireChannelReadComplete()
  }

  /// Changes the head of a request so that other handlers need not distinguish the versions of HTTP.
  ///
  /// The `Host` header becomes the request's authority. If it is invalid, the request has no authority, and
  /// ``RequestHandler`` answers it with 400.
  private static func normalize(_ head: inout HTTPRequestHead) {
    let isOld = head.version == .http1_0
    // An HTTP/1.0 client does not wait for 100 (RFC 9110, 10.1.1).
    if isOld { head.headers.remove(name: "Expect") }
    // HTTP/1.1 requires exactly one `Host` header (RFC 9112, 3.2).
    let hosts = head.headers["Host"].count
    if hosts > 1 { head.headers.remove(name: "Host") }
    if hosts == 0, isOld { head.headers.add(name: "Host", value: "") }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .head(let head) = unwrapOutboundIn(data), head.status != .continue, isExpected || !head.isKeepAlive {
      // The client did not receive status 100. It may or may not send its body, so the server cannot find the beginning
      // of the next request.
      isLast = true
    }
    if case .head(let head) = unwrapOutboundIn(data), !isReading, head.status != .continue {
      // Limit the time in which the client must read the answer, because the answer holds memory that other requests
      // need.
      wait(limits.idleSeconds, context)
    }
    switch unwrapOutboundIn(data) {
    case .head(let head) where head.status == .continue:
      isExpected = false
      context.write(data, promise: promise)
      return
    case .head(var head) where isLast:
      head.headers.replaceOrAdd(name: "Connection", value: "close")
      context.write(wrapOutboundOut(.head(head)), promise: promise)
      return
    case .head, .body:
      context.write(data, promise: promise)
      return
    case .end: break
    }
    unanswered -= 1
    unwritten += 1
    pace()
    if unanswered == 0 {
      wait(isLingering ? min(limits.lingeringSeconds, limits.requestSeconds) : headSeconds, context)
    }
    let written = promise ?? context.eventLoop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenComplete { _ in self.answerWasWritten(context) }
    if unanswered == 0, isLast {
      context.writeAndFlush(data, promise: written)
    } else {
      context.write(data, promise: written)
    }
    if isLingering { context.read() }
  }

  private func answerWasWritten(_ context: ChannelHandlerContext) {
    unwritten -= 1
    if unanswered == 0, unwritten == 0, isLast {
      // Close the server's direction of the connection immediately, so that the client notices it. The client may take
      // some time to close its own direction. Do this only after the socket has accepted the whole answer, which would
      // otherwise be truncated.
      context.close(mode: isLingering ? .output : .all, promise: nil)
    }
    pace()
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    // The server's direction of the connection is already closed.
    guard mode == .output, isLingering, isLast else {
      context.close(mode: mode, promise: promise)
      return
    }
    promise?.succeed()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if isLingering, isLast, unwritten == 0, event as? ChannelEvent == .inputClosed { context.close(promise: nil) }
    guard event is ChannelShouldQuiesceEvent || event is RequestPacer.Overflow else {
      context.fireUserInboundEventTriggered(event)
      return
    }
    isLast = true
    if unanswered == 0, unwritten == 0, !isLingering { context.close(promise: nil) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = error as? HTTPParserError, unanswered == 0 else {
      context.fireErrorCaught(error)
      return
    }
    refuse(error, context)
  }

  private func refuse(_ error: HTTPParserError, _ context: ChannelHandlerContext) {
    let problem = APIError(error)
    let body = problem.body
    let headers: HTTPHeaders = [
      "content-type": "application/json", "content-length": String(body.count), "connection": "close",
    ]
    let status = HTTPResponseStatus(
      statusCode: problem.status.code, reasonPhrase: problem.status.reasonPhrase)
    let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
  }

  private func wait(_ seconds: Int, _ context: ChannelHandlerContext) {
    deadline?.cancel()
    deadline = context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(Int64(seconds))) {
      context.close(promise: nil)
    }
  }
}
