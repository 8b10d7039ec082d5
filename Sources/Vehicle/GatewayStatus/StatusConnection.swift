import GatewayOutput
import Glibc
import Ports

/// A client's connection: its request, and the answer that is being sent.
struct StatusConnection: ~Copyable {
  /// Time limit for a request, and then for its answer, ns.
  static let patience: Int64 = 5_000_000_000

  private let socket: StreamSocket
  let isLocal: Bool
  private var input: [UInt8] = []
  private var output: [UInt8] = []
  private var written = 0
  /// The position of the client in the records; `nil` if the client does not follow them.
  private(set) var follower: Follower?
  private var hasAnswer = false
  /// Whether the client has closed its sending direction. It may still receive.
  private var hasHalfClosed = false
  /// Number of bytes that were received after the request.
  private var excess = 0
  /// Boot time at which a slow client is disconnected; `.max` for never.
  private(set) var deadline: Int64
  private(set) var isOver = false

  init(_ socket: consuming StreamSocket, isLocal: Bool, at now: Int64) {
    self.socket = socket
    self.isLocal = isLocal
    deadline = now + Self.patience
  }

  var descriptor: Int32 { socket.descriptor }

  /// Events for poll(2). They include input from followers, because it shows that a follower has left.
  var events: Int32 { (hasHalfClosed ? 0 : POLLIN) | (written < output.count ? POLLOUT : 0) }

  /// Handles the closing of both directions.
  mutating func hungUp() { if hasHalfClosed { isOver = true } }

  /// Reads received bytes, at most one piece at a time, so that a client that never stops sending does not delay
  /// others.
  ///
  /// - Returns: the request once it is complete, and only the first one; otherwise `nil`.
  mutating func read() -> StatusRequest? {
    var buffer = InlineArray<1_024, UInt8>(repeating: 0)
    var span = buffer.mutableSpan
    let count = socket.read(into: &span)
    if count < 0, errno == EAGAIN { return nil }
    guard count > 0 else {
      // After a complete request, an end of input is shutdown(2) of one direction and does not end the connection.
      if count == 0, hasAnswer { hasHalfClosed = true } else { isOver = true }
      return nil
    }
    guard !hasAnswer else {
      excess += count
      if excess > StatusRequest.limit { isOver = true }
      return nil
    }
    for index in 0..<count where input.count < StatusRequest.limit { input.append(buffer[index]) }
    return StatusRequest(input, isLocal: isLocal)
  }

  /// Sets the answer.
  mutating func answer(_ bytes: [UInt8], at now: Int64) {
    hasAnswer = true
    input = []
    output = bytes
    deadline = now + Self.patience
    write()
  }

  /// Sends records from now on.
  mutating func follow(_ follower: Follower) {
    hasAnswer = true
    input = []
    self.follower = follower
    deadline = .max
    output = StatusAnswer.head(200, "application/jsonl", length: nil)
    write()
  }

  /// Sends as much of the answer as the socket accepts.
  mutating func write() {
    while !isOver, written < output.count {
      // A copy, because `self` changes while the span is in use.
      let output = output
      guard let count = send(output.span.extracting(written...)) else { return }
      written += count
    }
    // The whole answer was sent.
    if hasAnswer, follower == nil { isOver = true }
    // Free the memory while the client is fast enough.
    output = []
    written = 0
  }

  /// Sends as many of the followed records as the socket accepts.
  ///
  /// - Parameter buffer: shared by all connections; ``Follower/room`` bytes.
  mutating func writeRecords(through buffer: inout [UInt8]) {
    guard let follower else { return }
    write()
    while !isOver, output.isEmpty {
      let count = follower.take(into: &buffer)
      guard count > 0 else { return }
      let sent = send(buffer.span.extracting(..<count)) ?? 0
      if sent < count, !isOver { output = Array(buffer[sent..<count]) }
    }
  }

  /// Sends bytes.
  ///
  /// - Returns: `nil` if the socket accepts none now, or the client has left.
  private mutating func send(_ bytes: Span<UInt8>) -> Int? {
    let count = socket.write(bytes)
    if count < 0, errno == EAGAIN { return nil }
    if count <= 0 { isOver = true }
    return count > 0 ? count : nil
  }
}
