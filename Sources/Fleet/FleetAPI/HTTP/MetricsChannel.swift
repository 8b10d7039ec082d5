import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// A connection to the separate port for metrics. It uses HTTP/1.1 without TLS, and never becomes a WebSocket.
struct MetricsChannel: HTTPChannelHandler {
  struct Value: ServerChildChannelValue {
    let requests: NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>
    var channel: any Channel { requests.channel }
  }

  let responder: Responder
  let limits: ServerLimits

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      let pacer = RequestPacer()
      try channel.pipeline.syncOperations.addHandlers([
        pacer, HTTPResponseEncoder(), limits.requestDecoder(), ConnectionSupervisor(limits: limits, pacer: pacer),
      ])
      return Value(requests: try channel.requests(isSecure: false))
    }
  }

  func handle(value: Value, logger: Logger) async { await handleHTTP(asyncChannel: value.requests, logger: logger) }
}
