import Glibc
import Ports

/// One that looks at the daemon: its request, and the answer as far as it has left.
struct StatusConnection: ~Copyable {
  /// So long a request may take, and then an answer, ns.
  static let patience: Int64 = 5_000_000_000

  private let socket: StreamSocket
  let isLocal: Bool
  private var input: [UInt8] = []
  private var output: [UInt8] = []
  private var written = 0
  /// Records that it follows; nil: it does not.
  private(set) var follower: Follower?
  private var hasAnswer = false
  /// It says nothing more, and may still listen.
  private var hasHalfClosed = false
  /// Bytes that came behind its request.
  private var excess = 0
  /// When it is cut off; `.max`: not for being slow.
  private(set) var deadline: Int64
  private(set) var isOver = false

  init(_ socket: consuming StreamSocket, isLocal: Bool, at now: Int64) {
    self.socket = socket
    self.isLocal = isLocal
    deadline = now + Self.patience
  }

  var descriptor: Int32 { socket.descriptor }

  /// What `poll(2)` is asked: one that follows may say nothing more, but it may leave.
  var events: Int32 { (hasHalfClosed ? 0 : POLLIN) | (written < output.count ? POLLOUT : 0) }

  /// The other end is gone altogether.
  mutating func hungUp() { if hasHalfClosed { isOver = true } }

  /// Reads what has come, a piece at a time: one that talks without end is one of several.
  ///
  /// - Returns: a request, once it is whole; one is answered.
  mutating func read() -> StatusRequest? {
    var buffer = InlineArray<1_024, UInt8>(repeating: 0)
    var span = buffer.mutableSpan
    let count = socket.read(into: &span)
    if count < 0, errno == EAGAIN { return nil }
    guard count > 0 else {
      // Behind a whole request that is no leaving: shutdown(2) of one direction.
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

  /// Gives it its answer.
  mutating func answer(_ bytes: [UInt8], at now: Int64) {
    hasAnswer = true
    input = []
    output = bytes
    deadline = now + Self.patience
    write()
  }

  /// From here on it is given records.
  mutating func follow(_ follower: Follower) {
    hasAnswer = true
    input = []
    self.follower = follower
    deadline = .max
    output = StatusAnswer.head(200, "application/jsonl", length: nil)
    write()
  }

  /// Writes what there is room for of its answer.
  mutating func write() {
    while !isOver, written < output.count {
      // A reference of its own: `self` is changed while the span lives.
      let output = output
      guard let count = send(output.span.extracting(written...)) else { return }
      written += count
    }
    // The whole answer has left.
    if hasAnswer, follower == nil { isOver = true }
    // Nothing is kept for one that is quick.
    output = []
    written = 0
  }

  /// Writes what there is room for of the records that it follows.
  ///
  /// - Parameter buffer: shared by all; ``Follower/room`` long.
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

  /// - Returns: nil: there is no room now, or nobody reads any more.
  private mutating func send(_ bytes: Span<UInt8>) -> Int? {
    let count = socket.write(bytes)
    if count < 0, errno == EAGAIN { return nil }
    if count <= 0 { isOver = true }
    return count > 0 ? count : nil
  }
}
