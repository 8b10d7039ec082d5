import Foundation
import Glibc

extension LoadSocket {
  /// Requests a path.
  ///
  /// - Returns: the head and the beginning of the answer.
  func get(_ path: String, key: String?, _ fields: String = "") throws -> String {
    try send("GET", path, key: key, [], fields)
  }

  /// Sends a request with a body.
  ///
  /// - Parameter fields: header fields, each with its CR and LF.
  func send(_ method: String, _ path: String, key: String?, _ body: [UInt8], _ fields: String = "") throws -> String {
    var head = "\(method) \(path) HTTP/1.1\r\nHost: x\r\n\(fields)"
    if let key { head += "Authorization: Bearer \(key)\r\n" }
    if !body.isEmpty { head += "Content-Length: \(body.count)\r\n" }
    try write(Array((head + "\r\n").utf8) + body)
    return try answer()
  }

  /// The same with a JSON body.
  func send(_ method: String, _ path: String, key: String, json: String) throws -> String {
    try send(method, path, key: key, Array(json.utf8), "Content-Type: application/json\r\n")
  }

  /// Makes the connection a WebSocket, and authenticates.
  func openWebSocket(token: String) throws {
    try write(
      Array(
        ("GET /ws HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").utf8))
    var text = ""
    while !text.contains("authenticated") {
      text += String(decoding: try receive(), as: UTF8.self)
      if text.contains("\"error\"") { throw Failure(what: text) }
    }
  }

  func send(text: String) throws { try send(opcode: 1, Array(text.utf8)) }

  /// Sends a frame, which is masked with zeros.
  func send(opcode: UInt8, _ payload: [UInt8]) throws {
    let length =
      payload.count < 126 ? [UInt8(payload.count)] : [126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    try write([0x80 | opcode, 0x80 | length[0]] + length.dropFirst() + [0, 0, 0, 0] + payload)
  }

  /// Returns the received bytes, at least one.
  func receive() throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { throw Failure(what: "the connection ended") }
    return Array(bytes[..<count])
  }

  /// Whether the server has not ended the connection.
  var isOpen: Bool {
    var byte: UInt8 = 0
    let count = unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
    return count > 0 || count < 0 && errno == EAGAIN
  }
}
