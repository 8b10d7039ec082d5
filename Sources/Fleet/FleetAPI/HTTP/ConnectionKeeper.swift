import HTTPTypes
import Logging
import NIOCore
import NIOHTTP1

/// Ends connections that keep the server waiting, that speak no HTTP, or that the server's stop finds idle.
///
/// Stands behind the HTTP codec, in front of whatever decides about upgrades, which removes it when the connection is no
/// HTTP any more. All on the connection's event loop.
final class ConnectionKeeper: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private let limits: ServerLimits
  /// Requests whose answer has not gone out whole.
  private var unanswered = 0
  /// A request's body is still to come.
  private var isReading = false
  /// The connection ends with the answer: the server is stopping, or nothing more can be read.
  private var isLast = false
  /// The client waits to be told to go on with the body.
  private var isExpected = false
  /// A request was answered before its body was there: that is read on for a while and thrown away, so that the answer is
  /// not lost in a reset.
  private var isLingering: Bool { isReading && unanswered == 0 }
  private var deadline: Scheduled<Void>?

  init(limits: ServerLimits) { self.limits = limits }

  func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { wait(limits.idleSeconds, context) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

  func channelActive(context: ChannelHandlerContext) {
    wait(limits.idleSeconds, context)
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
      // Behind a request for an upgrade the decoder takes everything for the other protocol's.
      if head.headers.contains(name: "Upgrade") || head.method == .CONNECT || !head.isKeepAlive { isLast = true }
      // Nobody knows where a body ends that is coded in a way of its own (RFC 9112, 6.3).
      if head.headers["Transfer-Encoding"].contains(where: { $0.lowercased() != "chunked" }) { isLast = true }
      isReading = true
      wait(limits.requestSeconds, context)
      Self.mark(&head)
      isExpected = head.headers.contains(name: "Expect")
      context.fireChannelRead(wrapInboundOut(.head(head)))
      return
    case .body:
      isExpected = false
      if isLingering { return }
    case .end where isLingering && isLast:
      context.close(promise: nil)
      return
    case .end:
      isReading = false
      // However long the answer takes is the server's matter; it may have gone out already.
      deadline?.cancel()
      if unanswered == 0 { wait(limits.idleSeconds, context) }
    }
    context.fireChannelRead(data)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    // Nobody above asks for what is thrown away.
    if isLingering { context.read() }
    context.fireChannelReadComplete()
  }

  /// Says in the head what can only be seen while its version is known.
  private static func mark(_ head: inout HTTPRequestHead) {
    let isOld = head.version == .http1_0
    // Who speaks HTTP/1.0 waits for nothing (RFC 9110, 10.1.1).
    if isOld { head.headers.remove(name: "Expect") }
    // RFC 9112, 3.2.
    let hosts = head.headers["Host"].count
    if hosts > 1 || hosts == 0 && !isOld {
      head.headers.replaceOrAdd(name: HTTPField.Name.fault.rawName, value: "Host: expected once, found \(hosts) times")
    }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .head(let head) = unwrapOutboundIn(data), head.status != .continue, isExpected || !head.isKeepAlive {
      // A client that was not told to go on may send its body or not: nobody knows where the next request begins.
      isLast = true
    }
    if case .head(let head) = unwrapOutboundIn(data), !isReading, head.status != .continue {
      // Who takes their answer slower than that holds memory that others need.
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
    case .end: unanswered -= 1
    }
    if unanswered == 0 {
      wait(isLingering ? min(limits.lingeringSeconds, limits.requestSeconds) : limits.idleSeconds, context)
    }
    if unanswered == 0, isLast {
      context.writeAndFlush(data, promise: promise)
      // They see our end at once; theirs may take a while.
      context.close(mode: isLingering ? .output : .all, promise: nil)
    } else {
      context.write(data, promise: promise)
    }
    if isLingering { context.read() }
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    // Our side has ended already.
    guard mode == .output, isLingering, isLast else {
      context.close(mode: mode, promise: promise)
      return
    }
    promise?.succeed()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if isLingering, isLast, event as? ChannelEvent == .inputClosed { context.close(promise: nil) }
    guard event is ChannelShouldQuiesceEvent else {
      context.fireUserInboundEventTriggered(event)
      return
    }
    isLast = true
    if unanswered == 0, !isLingering { context.close(promise: nil) }
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
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    context.close(promise: nil)
  }

  private func wait(_ seconds: Int, _ context: ChannelHandlerContext) {
    deadline?.cancel()
    deadline = context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(Int64(seconds))) {
      context.close(promise: nil)
    }
  }
}

extension HTTPField.Name {
  /// What is wrong with a request's head. Whoever sends it themselves is answered as if it were so.
  static let fault = HTTPField.Name("Fleetstore-Fault")!
}
