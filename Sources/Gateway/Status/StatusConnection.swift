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
  private(set) var followed: RecordQueue?
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
  mutating func follow(_ queue: RecordQueue) {
    hasAnswer = true
    input = []
    followed = queue
    deadline = .max
    output = StatusAnswer.head(200, "application/jsonl", length: nil)
    write()
  }

  /// Writes what there is room for.
  mutating func write() {
    while !isOver {
      if written == output.count, !fill() { break }
      let count = socket.write(output.span.extracting(written...))
      if count < 0, errno == EAGAIN { return }
      guard count > 0 else {
        isOver = true
        return
      }
      written += count
    }
    // The whole answer has left.
    if hasAnswer, followed == nil, written == output.count { isOver = true }
  }

  /// Takes the next records of those that it follows.
  private mutating func fill() -> Bool {
    written = 0
    guard let followed else {
      written = output.count
      return false
    }
    // A record is 16 KiB at most.
    output = [UInt8](repeating: 0, count: 1 << 15)
    let count = followed.take(into: &output) ?? 0
    output.removeLast(output.count - count)
    return count > 0
  }
}
