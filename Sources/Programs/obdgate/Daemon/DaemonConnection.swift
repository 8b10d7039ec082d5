import Failures
import Glibc
import Ports

/// A connection to a running daemon, for one HTTP/1.1 request over a Unix socket and its response.
struct DaemonConnection: ~Copyable {
  private let socket: DaemonSocket
  private let line: OpenSocket
  /// Bytes of the body that were received together with the head.
  private var early: [UInt8] = []
  /// Number of bytes of the body that were not received yet; `nil` if the body ends with the connection.
  private var left: Int?
  private var block = [UInt8](repeating: 0, count: 1 << 16)

  fileprivate init(_ socket: DaemonSocket, _ line: consuming OpenSocket) {
    self.socket = socket
    self.line = line
  }

  /// Sends a request, and waits for the head of the response.
  fileprivate mutating func get(_ path: String, unless wakeUp: WakeUp?) throws(DaemonTrouble) {
    let deadline = BootClock.now + DaemonSocket.patience
    try send(Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8))
    var head: [UInt8] = []
    while true {
      let more = try next(until: deadline, unless: wakeUp)
      guard !more.isEmpty else { throw head.isEmpty ? gone : stranger }
      head += more
      if let end = ReplyHead.end(in: head) {
        guard let reply = ReplyHead(parsing: head[..<end]) else { throw stranger }
        early = Array(head[end...])
        left = reply.count
        guard reply.status == 200 else { throw try refusal(reply.status, unless: wakeUp) }
        return
      }
      guard head.count <= ReplyHead.limit else { throw stranger }
    }
  }

  /// File descriptor that poll(2) reports as readable when ``popBytes()`` may have a result.
  var descriptor: Int32 { line.number }

  private var stranger: DaemonTrouble {
    DaemonTrouble(.notUnderstood, "\(socket.path): the server is not obdgated, or has another version")
  }

  private var late: DaemonTrouble {
    DaemonTrouble(.timedOut, "\(socket.path): obdgated does not answer: it is stuck or busy")
  }

  private var gone: DaemonTrouble { DaemonTrouble(.gone, "\(socket.path): obdgated has closed the connection") }

  /// Returns the bytes of the body that were received since the last call. Returns `nil` if there are none yet, and an
  /// empty array at the end of the body.
  mutating func popBytes() throws(DaemonTrouble) -> [UInt8]? {
    if !early.isEmpty {
      let bytes = early
      early = []
      return try counted(bytes)
    }
    if left == 0 { return [] }
    guard let bytes = try receive() else { return nil }
    return try counted(bytes)
  }

  /// Reads the body up to its end.
  ///
  /// - Parameter limit: maximum length of the body, bytes. A longer body is an error.
  mutating func body(limit: Int, unless wakeUp: WakeUp?) throws(DaemonTrouble) -> [UInt8] {
    let deadline = BootClock.now + DaemonSocket.patience
    var body: [UInt8] = []
    while true {
      if let more = try popBytes() {
        if more.isEmpty { return body }
        body += more
        guard body.count <= limit else {
          throw DaemonTrouble(.notUnderstood, "\(socket.path): its response is longer than \(limit) bytes")
        }
        // The deadline is also checked here, because bytes may be received again and again, but too slowly.
        if BootClock.now >= deadline { throw late }
      } else {
        try wait(until: deadline, unless: wakeUp)
      }
    }
  }

  // MARK: The socket

  private mutating func counted(_ bytes: [UInt8]) throws(DaemonTrouble) -> [UInt8] {
    guard let expected = left else { return bytes }
    if bytes.isEmpty { throw DaemonTrouble(.gone, "\(socket.path): its response is incomplete") }
    let kept = bytes.prefix(expected)
    left = expected - kept.count
    return Array(kept)
  }

  private func send(_ request: [UInt8]) throws(DaemonTrouble) {
    // The request is much smaller than the buffer of a socket. Therefore, one call sends either the whole request or
    // nothing.
    let count = unsafe request.withUnsafeBytes {
      unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    guard count == request.count else { throw gone }
  }

  /// Waits for bytes, and returns them; empty if the connection has ended.
  private mutating func next(until deadline: Int64, unless wakeUp: WakeUp?) throws(DaemonTrouble) -> [UInt8] {
    while true {
      if let bytes = try receive() { return bytes }
      try wait(until: deadline, unless: wakeUp)
    }
  }

  private mutating func receive() throws(DaemonTrouble) -> [UInt8]? {
    let number = line.number
    let count = unsafe block.withUnsafeMutableBytes {
      unsafe recv(number, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
    }
    if count >= 0 { return Array(block[..<count]) }
    if errno == EAGAIN || errno == EINTR { return nil }
    if errno == ECONNRESET || errno == EPIPE { throw gone }
    throw DaemonTrouble(.system, "\(socket.path): \(systemReason(errno))")
  }

  private func wait(until deadline: Int64, unless wakeUp: WakeUp?) throws(DaemonTrouble) {
    switch Waiting.forInput(on: descriptor, until: deadline, unless: wakeUp) {
    case .ready: return
    case .interrupted: throw DaemonTrouble(.interrupted, "\(socket.path): interrupted")
    case .late: throw late
    }
  }

  /// Returns the error for a response whose status is not 200. Its text is the first text line of the body.
  private mutating func refusal(_ status: Int, unless wakeUp: WakeUp?) throws(DaemonTrouble) -> DaemonTrouble {
    let text = try body(limit: ReplyHead.limit, unless: wakeUp)
    let line = String(decoding: text, as: UTF8.self).prefix { !$0.isNewline }
    let reason = line.isEmpty ? "" : ": \(PlainText.shown(line))"
    return DaemonTrouble(.refused, "\(socket.path): obdgated answers \(status)\(reason)")
  }
}

extension DaemonSocket {
  /// Connects to the daemon, sends a request, and waits for the head of the response.
  ///
  /// - Parameters:
  ///   - path: path of the resource, such as `/status`.
  ///   - wakeUp: ends the wait when it is signalled; `nil` if nothing can interrupt the wait.
  /// - Throws: an error if there is no valid response, or if the daemon rejects the request.
  func open(_ path: String, unless wakeUp: WakeUp?) throws(DaemonTrouble) -> DaemonConnection {
    var connection = DaemonConnection(self, OpenSocket(number: try connect()))
    try connection.get(path, unless: wakeUp)
    return connection
  }

  /// Connects to the daemon, sends a request, and reads the whole response.
  ///
  /// - Parameter limit: maximum length of the body, bytes. A longer body is an error.
  func get(_ path: String, limit: Int, unless wakeUp: WakeUp? = nil) throws(DaemonTrouble) -> [UInt8] {
    var connection = try open(path, unless: wakeUp)
    return try connection.body(limit: limit, unless: wakeUp)
  }
}

/// A socket with a single owner. It is closed when the value is destroyed.
private struct OpenSocket: ~Copyable {
  let number: Int32

  deinit { close(number) }
}
