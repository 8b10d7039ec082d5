import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOWebSocket

/// A connection to the server. It uses HTTP/1.1, or becomes a WebSocket if its first request is an upgrade.
struct FleetChannel: HTTPChannelHandler {
  /// A new connection. Its first request may not have arrived yet.
  struct Value: ServerChildChannelValue {
    let channel: any Channel
    let outcome: EventLoopFuture<Outcome>
  }

  /// The protocol of a connection.
  enum Outcome: Sendable {
    case http(NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>)
    case webSocket
  }

  let responder: Responder
  let limits: ServerLimits
  let connections: Connections
  let isSecure: Bool
  let proxies: TrustedProxies
  /// The address of the server, as people see it; `nil` if it is not configured.
  let ownURL: String?
  let hub: LiveHub
  let live: LiveService
  let accessLog: AccessLog

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    guard connections.open(channel) else {
      channel.close(promise: nil)
      return channel.eventLoop.makeSucceededFuture(
        Value(channel: channel, outcome: channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)))
    }
    return channel.eventLoop.makeCompletedFuture {
      // The connection's own write buffer is small. The unread part of an answer stays in the memory of its request,
      // which is limited.
      try channel.syncOptions?.setOption(.writeBufferWaterMark, value: .init(low: 4 << 10, high: 16 << 10))
      // The buffer for bytes that were received but not processed is small, because there may be many connections.
      try channel.syncOptions?.setOption(
        .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 1 << 10, initial: 2 << 10, maximum: 16 << 10))
      // Read only once in each turn of the event loop, so that a connection does not delay other connections.
      try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
      let encoder = HTTPResponseEncoder()
      let decoder = limits.requestDecoder()
      let pacer = RequestPacer()
      let supervisor = ConnectionSupervisor(limits: limits, pacer: pacer) { connections.isHurried(channel) }
      let gate = UpgradeGate(origins: hub.settings.origins.of(ownURL: ownURL))
      let upgrader = NIOTypedHTTPServerUpgradeHandler<Outcome>(
        httpEncoder: encoder, extraHTTPHandlers: [decoder, supervisor, gate, pacer],
        upgradeConfiguration: .init(upgraders: [webSocket(logger)]) { channel in plain(channel) })
      try channel.pipeline.syncOperations.addHandlers([pacer, encoder, decoder, supervisor, gate, upgrader])
      return Value(channel: channel, outcome: upgrader.upgradeResultFuture)
    }
  }

  func handle(value: Value, logger: Logger) async {
    do {
      switch try await value.outcome.get() {
      case .http(let channel): await handleHTTP(asyncChannel: channel, logger: logger)
      case .webSocket:
        try await withTaskCancellationHandler {
          try await value.channel.closeFuture.get()
        } onCancel: {
          value.channel.close(promise: nil)
        }
      }
    } catch {
      logger.debug("connection: \(error)")
      // The client closed the connection without a request. Closing it again has no effect.
      value.channel.close(promise: nil)
    }
  }

  private func plain(_ channel: any Channel) -> EventLoopFuture<Outcome> {
    channel.eventLoop.makeCompletedFuture { .http(try channel.requests(isSecure: isSecure)) }
  }

  private func webSocket(_ logger: Logger) -> NIOTypedWebSocketServerUpgrader<Outcome> {
    NIOTypedWebSocketServerUpgrader(
      // ``LiveConnection`` reports errors and closes the connection itself.
      maxFrameSize: LiveConnection.messageLimit, enableAutomaticErrorHandling: false,
      shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture([:]) },
      upgradePipelineHandler: { channel, head in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          // This handler must precede the decoder, which accepts a length even if it is not encoded in the shortest
          // form.
          try pipeline.addHandler(
            FrameLengthHandler(), position: .after(pipeline.context(handlerType: WebSocketFrameEncoder.self).handler))
          let fields = HTTPFields(head.headers, splitCookie: false)
          let client = proxies.client(fields, peer: channel.remoteAddress?.ipAddress, isTLS: isSecure)
          var credential = Credential(fields, isTLS: client.isTLS)
          // Pages of other sites can also open WebSockets, and the browser adds the cookie. Therefore check the page's
          // origin.
          if case .cookie = credential,
            head.headers["Origin"].isEmpty
              || !AllowedOrigins(ownURL: ownURL).allow(head.headers["Origin"].first, host: head.headers["Host"].first)
          {
            credential = nil
          }
          try pipeline.addHandler(
            LiveConnection(
              hub: hub, service: live, token: credential?.secret,
              handshake: Handshake(path: head.uri, log: accessLog, client: client), logger: logger))
          return .webSocket
        }
      })
  }
}

extension ServerLimits {
  /// Creates a decoder for requests. A request whose headers are longer than ``headerBytes`` is an error.
  func requestDecoder() -> ByteToMessageHandler<HTTPRequestDecoder> {
    var headers = NIOHTTPDecoderLimitConfiguration()
    headers.maxHeaderListSize = headerBytes
    headers.maxHeaderFieldSize = headerBytes
    return ByteToMessageHandler(
      HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: headers))
  }
}

extension Channel {
  /// Returns a stream of the requests on an HTTP connection. Must be called on the connection's event loop.
  func requests(isSecure: Bool) throws -> NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart> {
    try pipeline.syncOperations.addHandler(HTTP1ToHTTPServerCodec(secure: isSecure))
    return try NIOAsyncChannel(
      wrappingChannelSynchronously: self,
      configuration: .init(
        backPressureStrategy: .init(lowWatermark: 1, highWatermark: 2), isOutboundHalfClosureEnabled: true))
  }
}
