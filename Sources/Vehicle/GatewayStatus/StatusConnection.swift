import GatewayOutput
import Glibc
import Ports

/// A client's connection, with the client's request and the answer that is being sent.
struct StatusConnection: ~Copyable {
  /// Time limit for receiving a request, and the same for sending its answer, ns.
  static let patience: Int64 = 5_000_000_000

  private let socket: StreamSocket
  let isLocal: Bool
  private var input: [UInt8] = []
  private var output: [UInt8] = []
  private var written = 0
  /// The client as a follower of the records; `nil` if it does not follow them.
  private(set) var follower: Follower?
  private var hasAnswer = false
  /// Whether the client has closed its sending direction. It may still receive data.
  private var hasHalfClosed = false
  /// Number of bytes that the client has sent after its request.
  private var excess = 0
  /// Boot time at which the client is disconnected if it is too slow; `.max` for never.
  private(set) var deadline: Int64
  private(set) var isOver = false

  init(_ socket: consuming StreamSocket, isLocal: Bool, at now: Int64) {
    self.socket = socket
    self.isLocal = isLocal
    deadline = now + Self.patience
  }

  var descriptor: Int32 { socket.descriptor }

  /// The events for which poll(2) waits. Input is one of them even for followers, because it shows that a follower has
  /// left.
  var events: Int32 { (hasHalfClosed ? 0 : POLLIN) | (written < output.count ? POLLOUT : 0) }

  /// Handles a connection of which both directions were closed.
  mutating func hungUp() { if hasHalfClosed { isOver = true } }

  /// Reads bytes that were received, at most one piece in each call. Otherwise, a client that never stops sending would
  /// delay the others.
  ///
  /// - Returns: the client's first request, as soon as it is complete; otherwise `nil`.
  mutating func read() -> StatusRequest? {
    var buffer = InlineArray<1_024, UInt8>(repeating: 0)
    var span = buffer.mutableSpan
    let count = socket.read(into: &span)
    if count < 0, errno == EAGAIN { return nil }
    guard count > 0 else {
      // After a complete request, the end of the input means that the client called shutdown(2) for one direction. It
      // still waits for the answer.
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

  /// Sends the records that are made from now on.
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
      // A copy is needed, because `self` changes while the span is in use.
      let output = output
      guard let count = send(output.span.extracting(written...)) else { return }
      written += count
    }
    // Nothing more is to be sent.
    if hasAnswer, follower == nil { isOver = true }
    // The client is fast enough. Free the memory of what was sent.
    output = []
    written = 0
  }

  /// Sends as many of the followed records as the socket accepts.
  ///
  /// - Parameter buffer: memory of ``Follower/room`` bytes, which all connections share.
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
  /// - Returns: number of bytes that were sent; `nil` if the socket accepts none now, or the client has left.
  private mutating func send(_ bytes: Span<UInt8>) -> Int? {
    let count = socket.write(bytes)
    if count < 0, errno == EAGAIN { return nil }
    if count <= 0 { isOver = true }
    return count > 0 ? count : nil
  }
}
