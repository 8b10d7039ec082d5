import NIOCore
import NIOHTTP1

/// Removes the `Upgrade` header from requests that cannot be upgraded to a WebSocket.
///
/// NIO's typed upgrader sends no answer to an upgrade that it rejects. Therefore this handler removes the `Upgrade`
/// header from every request that is not a valid WebSocket handshake (RFC 6455, 4.2.1). A valid handshake has the right
/// path, version, key and origin. All other requests are answered as plain requests. Only the first request of a
/// connection can be upgraded: this handler precedes the upgrader, and is removed together with it.
final class UpgradeGate: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  private let origins: AllowedOrigins

  init(origins: AllowedOrigins) { self.origins = origins }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data), head.headers.contains(name: "Upgrade") else {
      context.fireChannelRead(data)
      return
    }
    if !isHandshake(head) {
      head.headers.remove(name: "Upgrade")
      let kept = head.headers["Connection"].flatMap { $0.split(separator: ",") }
        .map { $0.drop { $0 == " " } }.filter { $0.lowercased() != "upgrade" }
      head.headers.remove(name: "Connection")
      if !kept.isEmpty { head.headers.add(name: "Connection", value: kept.joined(separator: ", ")) }
    }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  private func isHandshake(_ head: HTTPRequestHead) -> Bool {
    let path = head.uri.prefix { $0 != "?" }
    let headers = head.headers
    let key = headers["Sec-WebSocket-Key"]
    return head.method == .GET && head.version == .http1_1 && FleetRoutes.webSocketPaths.contains(String(path))
      && headers["Sec-WebSocket-Version"] == ["13"] && key.count == 1 && Self.isKey(key[0])
      && headers["Upgrade"].map { $0.lowercased() } == ["websocket"]
      && headers[canonicalForm: "Connection"].contains { $0.lowercased() == "upgrade" }
      && headers["Host"].count == 1 && origins.allow(headers["Origin"].first, host: headers["Host"].first)
  }

  /// Whether a text is a valid `Sec-WebSocket-Key`: 16 bytes in base64.
  private static func isKey(_ text: String) -> Bool {
    text.utf8.count == 24 && text.hasSuffix("==")
      && text.utf8.dropLast(2).allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "+"), UInt8(ascii: "/"):
          true
        default: false
        }
      }
  }
}
