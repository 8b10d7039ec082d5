import Glibc
import Ports

/// One question to a running daemon, and its answer: HTTP/1.1 over a Unix socket, a connection for each.
struct DaemonConnection: ~Copyable {
  private let socket: DaemonSocket
  private let line: OpenSocket
  /// What of the body came with its head.
  private var early: [UInt8] = []
  /// Bytes of the body that are still to come; nil: it ends with the connection.
  private var left: Int?
  private var block = [UInt8](repeating: 0, count: 1 << 16)

  fileprivate init(_ socket: DaemonSocket, _ line: consuming OpenSocket) {
    self.socket = socket
    self.line = line
  }

  /// Asks, and waits for the beginning of the answer.
  fileprivate mutating func ask(_ path: String, unless bell: WakeUp?) throws(DaemonTrouble) {
    let deadline = BootClock.now + DaemonSocket.patience
    try send(Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8))
    var head: [UInt8] = []
    while true {
      let more = try next(until: deadline, unless: bell)
      guard !more.isEmpty else { throw head.isEmpty ? gone : stranger }
      head += more
      if let end = ReplyHead.end(in: head) {
        guard let reply = ReplyHead(parsing: head[..<end]) else { throw stranger }
        early = Array(head[end...])
        left = reply.count
        guard reply.status == 200 else { throw try refusal(reply.status, unless: bell) }
        return
      }
      guard head.count <= ReplyHead.limit else { throw stranger }
    }
  }

  /// For `poll(2)`: readable when ``take()`` has something to tell.
  var descriptor: Int32 { line.number }

  private var stranger: DaemonTrouble {
    DaemonTrouble(.notUnderstood, "\(socket.path): what answers there is no obdgated, or one of another version")
  }

  private var late: DaemonTrouble {
    DaemonTrouble(.timedOut, "\(socket.path): obdgated does not answer: it is stuck, or busy")
  }

  private var gone: DaemonTrouble { DaemonTrouble(.gone, "\(socket.path): obdgated has closed the connection") }

  /// What has come of the body since; nil: nothing now, empty: that was all.
  mutating func take() throws(DaemonTrouble) -> [UInt8]? {
    if !early.isEmpty {
      let bytes = early
      early = []
      return try counted(bytes)
    }
    if left == 0 { return [] }
    guard let bytes = try receive() else { return nil }
    return try counted(bytes)
  }

  /// The whole body.
  ///
  /// - Parameter limit: bytes; a longer one is not understood.
  mutating func body(limit: Int, unless bell: WakeUp?) throws(DaemonTrouble) -> [UInt8] {
    let deadline = BootClock.now + DaemonSocket.patience
    var body: [UInt8] = []
    while true {
      if let more = try take() {
        if more.isEmpty { return body }
        body += more
        guard body.count <= limit else {
          throw DaemonTrouble(.notUnderstood, "\(socket.path): its answer is longer than \(limit) bytes")
        }
        // One that comes drop by drop is not waited for without end.
        if BootClock.now >= deadline { throw late }
      } else {
        try wait(until: deadline, unless: bell)
      }
    }
  }

  // MARK: The socket

  private mutating func counted(_ bytes: [UInt8]) throws(DaemonTrouble) -> [UInt8] {
    guard let expected = left else { return bytes }
    if bytes.isEmpty { throw DaemonTrouble(.gone, "\(socket.path): its answer is cut short") }
    let kept = bytes.prefix(expected)
    left = expected - kept.count
    return Array(kept)
  }

  private func send(_ request: [UInt8]) throws(DaemonTrouble) {
    // Far less than a socket's buffer: all of it or nothing.
    let count = unsafe request.withUnsafeBytes {
      unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    guard count == request.count else { throw gone }
  }

  /// The next bytes; empty: the connection has ended.
  private mutating func next(until deadline: Int64, unless bell: WakeUp?) throws(DaemonTrouble) -> [UInt8] {
    while true {
      if let bytes = try receive() { return bytes }
      try wait(until: deadline, unless: bell)
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

  private func wait(until deadline: Int64, unless bell: WakeUp?) throws(DaemonTrouble) {
    switch Waiting.forInput(on: descriptor, until: deadline, unless: bell) {
    case .ready: return
    case .rung: throw DaemonTrouble(.interrupted, "\(socket.path): not waited for")
    case .late: throw late
    }
  }

  /// What an answer that is none says: the first line of its body.
  private mutating func refusal(_ status: Int, unless bell: WakeUp?) throws(DaemonTrouble) -> DaemonTrouble {
    let text = try body(limit: ReplyHead.limit, unless: bell)
    let line = String(decoding: text, as: UTF8.self).prefix { !$0.isNewline }
    let reason = line.isEmpty ? "" : ": \(PlainText.shown(line))"
    return DaemonTrouble(.refused, "\(socket.path): obdgated answers \(status)\(reason)")
  }
}

extension DaemonSocket {
  /// Asks a question and waits for the beginning of its answer.
  ///
  /// - Parameters:
  ///   - path: as `/status`.
  ///   - bell: when it rings, nobody waits any more.
  /// - Throws: why there is no answer, or what is refused, in the daemon's words.
  func open(_ path: String, unless bell: WakeUp?) throws(DaemonTrouble) -> DaemonConnection {
    var connection = DaemonConnection(self, OpenSocket(number: try connect()))
    try connection.ask(path, unless: bell)
    return connection
  }

  /// Asks a question and takes the whole answer.
  ///
  /// - Parameter limit: bytes; a longer answer is not understood.
  func ask(_ path: String, limit: Int, unless bell: WakeUp? = nil) throws(DaemonTrouble) -> [UInt8] {
    var connection = try open(path, unless: bell)
    return try connection.body(limit: limit, unless: bell)
  }
}

/// A socket with one owner, closed when the owner goes.
private struct OpenSocket: ~Copyable {
  let number: Int32

  deinit { close(number) }
}
