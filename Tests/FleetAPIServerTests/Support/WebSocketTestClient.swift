import Foundation

/// A simple client for WebSockets (RFC 6455) over ``TestClient``.
final class WebSocketTestClient {
  enum Message: Equatable {
    case text(String)
    case ping([UInt8])
    case pong([UInt8])
    case close(code: Int, reason: String)
  }

  let http: TestClient

  /// Connects and upgrades the connection.
  ///
  /// - Throws: the answer's status if it is not 101.
  init(
    port: Int, token: String? = nil, from host: UInt32 = 1, receiveBuffer: Int32? = nil, headers: [String: String] = [:]
  ) throws {
    http = try TestClient(port: port, token: token, from: host, receiveBuffer: receiveBuffer)
    let reply = try http.send("GET", "/ws", headers: Self.handshake.merging(headers) { _, new in new })
    guard reply.status == 101 else { throw TestClient.Failure(description: "\(reply.status) \(reply.text)") }
    // RFC 6455, 1.3.
    guard reply.headers["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" else {
      throw TestClient.Failure(description: "accept: \(reply.headers)")
    }
  }

  static let handshake = [
    "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
  ]

  func send(_ text: String) throws { try send(opcode: 1, Array(text.utf8)) }

  /// Sends one frame. It is masked, as RFC 6455 requires of clients, unless `isMasked` is `false`.
  func send(opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true, isMasked: Bool = true) throws {
    var frame: [UInt8] = [opcode | (isFinal ? 0x80 : 0)]
    let mask: UInt8 = isMasked ? 0x80 : 0
    if payload.count < 126 {
      frame.append(mask | UInt8(payload.count))
    } else {
      frame += [mask | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    }
    let key: [UInt8] = isMasked ? [1, 2, 3, 4] : [0, 0, 0, 0]
    if isMasked { frame += key }
    frame += payload.enumerated().map { $1 ^ key[$0 % 4] }
    try http.write(frame)
  }

  /// Returns the next message of any kind.
  func next() throws -> Message {
    let head = try http.receive(2)
    var count = Int(head[1])
    if count == 126 {
      count = try http.receive(2).reduce(0) { $0 << 8 | Int($1) }
    } else if count == 127 {
      count = try http.receive(8).reduce(0) { $0 << 8 | Int($1) }
    }
    let payload = try http.receive(count)
    switch head[0] & 0x0F {
    case 1: return .text(String(decoding: payload, as: UTF8.self))
    case 9: return .ping(payload)
    case 10: return .pong(payload)
    case 8:
      let code = payload.count < 2 ? 1005 : Int(payload[0]) << 8 | Int(payload[1])
      return .close(code: code, reason: String(decoding: payload.dropFirst(2), as: UTF8.self))
    default: throw TestClient.Failure(description: "opcode \(head[0])")
    }
  }

  /// Returns the next text message as JSON. Pings before it are answered.
  ///
  /// - Throws: an error if no text arrives within two minutes.
  func event() throws -> [String: Any] {
    let end = Date(timeIntervalSinceNow: 120)
    while Date() < end {
      switch try next() {
      case .text(let text): return try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
      case .ping(let payload): try send(opcode: 10, payload)
      case .pong: continue
      case .close(let code, let reason):
        throw TestClient.Failure(description: "closed: \(code) \(reason)")
      }
    }
    throw TestClient.Failure(description: "no event, though the connection lives")
  }

  /// Reads until the connection is closed, and returns the last message.
  func close() throws -> Message {
    while true {
      if case .close(let code, let reason) = try next() { return .close(code: code, reason: reason) }
    }
  }

  /// Authenticates, and subscribes to a channel.
  func listen(_ channel: String, token: String? = nil, after: Int? = nil) throws -> [String: Any] {
    if let token { try send(#"{"action":"authenticate","token":"\#(token)"}"#) }
    let authenticated = try event()
    guard authenticated["event"] as? String == "authenticated" else {
      throw TestClient.Failure(description: "\(authenticated)")
    }
    try send(#"{"action":"subscribe","channel":"\#(channel)"\#(after.map { ",\"after\":\($0)" } ?? "")}"#)
    return try event()
  }
}
