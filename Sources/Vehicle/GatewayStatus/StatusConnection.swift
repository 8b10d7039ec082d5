import GatewayOutput
import Glibc
import Ports

/// The connection of one client, with the client's request and the answer that is being sent.
struct StatusConnection: ~Copyable {
  /// Time limit for receiving a request, and also for sending its answer, ns.
  static let patience: Int64 = 5_000_000_000

  private let socket: StreamSocket
  let isLocal: Bool
  private var input: [UInt8] = []
  private var output: [UInt8] = []
  private var written = 0
  /// The client as a follower of the records; `nil` if the client did not request records.
  private(set) var follower: Follower?
  private var hasAnswer = false
  /// Whether the client has closed its sending direction. The client may still receive data.
  private var hasHalfClosed = false
  /// Number of bytes that the client has sent after its complete request.
  private var excess = 0
  /// Time at which the client is disconnected if it is too slow, ns since boot; `.max` for no limit.
  private(set) var deadline: Int64
  private(set) var isOver = false

  init(_ socket: consuming StreamSocket, isLocal: Bool, at now: Int64) {
    self.socket = socket
    self.isLocal = isLocal
    deadline = now + Self.patience
  }

  var descriptor: Int32 { socket.descriptor }

  /// The events of poll(2) to wait for. They include input even for followers, because the end of the input shows that
  /// a follower has disconnected.
  var events: Int32 { (hasHalfClosed ? 0 : POLLIN) | (written < output.count ? POLLOUT : 0) }

  /// Handles POLLHUP or POLLERR. The connection ends if the client had already closed its sending direction.
  mutating func hungUp() { if hasHalfClosed { isOver = true } }

  /// Reads at most 1,024 of the bytes that were received. A client that never stops sending therefore does not delay
  /// other clients.
  ///
  /// - Returns: the client's request when it is complete; otherwise `nil`. Bytes after the request are ignored.
  mutating func read() -> StatusRequest? {
    var buffer = InlineArray<1_024, UInt8>(repeating: 0)
    var span = buffer.mutableSpan
    let count = socket.read(into: &span)
    if count < 0, errno == EAGAIN { return nil }
    guard count > 0 else {
      // After a complete request, the end of the input means that the client has closed only its sending direction with
      // shutdown(2). The client still waits for the answer.
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

  /// Sets the answer, and sends as much of it as the socket accepts.
  mutating func answer(_ bytes: [UInt8], at now: Int64) {
    hasAnswer = true
    input = []
    output = bytes
    deadline = now + Self.patience
    write()
  }

  /// Makes the client a follower, which receives the records that are made from now on.
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
      // A copy is necessary, because `self` changes while the span is in use.
      let output = output
      guard let count = send(output.span.extracting(written...)) else { return }
      written += count
    }
    // The whole answer was sent, so the connection ends.
    if hasAnswer, follower == nil { isOver = true }
    // Everything was sent. Free the memory of the output.
    output = []
    written = 0
  }

  /// Sends as many of the follower's records as the socket accepts.
  ///
  /// - Parameter buffer: memory of ``Follower/room`` bytes that all connections share.
  mutating func writeRecords(through buffer: inout [UInt8]) {
    guard let follower else { return }
    write()
    while !isOver, output.isEmpty {
      let count = follower.copy(into: &buffer)
      guard count > 0 else { return }
      let sent = send(buffer.span.extracting(..<count)) ?? 0
      if sent < count, !isOver { output = Array(buffer[sent..<count]) }
    }
  }

  /// Sends bytes.
  ///
  /// - Returns: number of bytes that were sent; `nil` if the socket accepts no bytes now, or if the client has
  ///   disconnected.
  private mutating func send(_ bytes: Span<UInt8>) -> Int? {
    let count = socket.write(bytes)
    if count < 0, errno == EAGAIN { return nil }
    if count <= 0 { isOver = true }
    return count > 0 ? count : nil
  }
}
