import Foundation
import Glibc

/// A WebSocket that only receives. There may be thousands of them in one process.
final class LiveListener {
  private let socket: LoadSocket

  init(port: Int, token: String) throws {
    socket = try LoadSocket(port: port)
    try socket.write(
      Array(
        ("GET /ws HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").utf8))
    _ = try read(until: "authenticated")
    let text = Array(#"{"action":"subscribe","channel":"vehicle:VAN-0"}"#.utf8)
    try socket.write([0x81, 0x80 | UInt8(text.count), 0, 0, 0, 0] + text)
  }

  func awaitSubscribed() throws { _ = try read(until: "\"subscribed\"") }

  /// Waits until the server closes the connection properly.
  ///
  /// - Returns: whether the code was 1001, going away (RFC 6455, 7.4.1).
  func isTakenLeaveOf() throws -> Bool {
    var frames: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = unsafe recv(socket.descriptor, &buffer, buffer.count, 0)
      if count > 0 { frames += buffer[..<count] }
      // A close frame, its length, and its code.
      let isClosed = frames.indices.dropLast(3).contains {
        frames[$0] == 0x88 && frames[$0 + 2...$0 + 3] == [0x03, 0xE9]
      }
      if isClosed || count <= 0 { return isClosed }
    }
  }

  /// Waits until each listener has received something.
  ///
  /// - Returns: for each listener, the time from `start` until it was read, ms.
  static func await(_ listeners: [LiveListener], from start: ContinuousClock.Instant) throws -> [Double] {
    var delays: [Double] = []
    var waiting = listeners.map { pollfd(fd: $0.socket.descriptor, events: Int16(POLLIN), revents: 0) }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !waiting.isEmpty {
      guard unsafe poll(&waiting, nfds_t(waiting.count), 20_000) > 0 else {
        throw LoadSocket.Failure(what: "no update")
      }
      let now = (ContinuousClock.now - start) / .milliseconds(1)
      for entry in waiting where entry.revents != 0 {
        guard unsafe recv(entry.fd, &buffer, buffer.count, 0) > 0 else { throw LoadSocket.Failure(what: "closed") }
        delays.append(now)
      }
      waiting.removeAll { $0.revents != 0 }
    }
    return delays
  }

  private func read(until mark: String) throws -> String {
    var text = ""
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while !text.contains(mark) {
      let count = unsafe recv(socket.descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { throw LoadSocket.Failure(what: "closed: \(text)") }
      text += String(decoding: buffer[..<count], as: UTF8.self)
    }
    return text
  }
}
