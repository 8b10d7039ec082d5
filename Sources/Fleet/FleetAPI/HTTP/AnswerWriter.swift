import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Writes an answer to a connection in pieces. Writes each piece only after the socket has accepted the previous piece.
/// Therefore the connection's own buffer never contains more than one piece. The rest of the answer stays in the memory
/// of its request, which is limited.
///
/// The writer of `NIOAsyncChannel` cannot be used instead: until the event loop has processed its first piece, it
/// accepts any number of pieces.
struct AnswerWriter: Sendable {
  /// The maximum number of bytes in one piece.
  private static let piece = 16 << 10

  /// The maximum length of an answer for which no memory is reserved, in bytes. Reserving memory would take longer than
  /// sending so short an answer.
  private static let small = 2 << 10

  let channel: any Channel

  /// Reserves the memory that an answer needs while a client reads it: the length of the answer. If the server keeps
  /// the answer in memory for another purpose (``Answer/isShared``), reserves only the length of one piece.
  ///
  /// - Throws: 503 if no memory becomes free in time.
  static func reserve(for answer: Answer, _ share: Budget.Share) async throws(APIError) {
    guard answer.body.readableBytes > small else { return }
    try await share.grow(to: needed(answer))
  }

  private static func needed(_ answer: Answer) -> Int {
    min(answer.body.readableBytes, answer.isShared ? piece : .max)
  }

  /// Sends an answer.
  ///
  /// - Parameters:
  ///   - hasBody: whether the body is sent; `false` for the method `HEAD`.
  ///   - share: the memory that the request holds. It is reduced to the memory that the answer needs.
  /// - Throws: errors of the connection.
  func send(_ answer: Answer, hasBody: Bool, _ share: Budget.Share) async throws {
    guard hasBody else {
      share.shrink(to: 0)
      try await write([.head(answer.head), .end(nil)])
      return
    }
    if let stream = answer.stream {
      share.shrink(to: 0)
      try await write([.head(answer.head)])
      try await stream { try await write([.body($0)]) }
      try await write([.end(nil)])
      return
    }
    share.shrink(to: Self.needed(answer))
    guard answer.body.readableBytes > Self.piece else {
      try await write([.head(answer.head), .body(answer.body), .end(nil)])
      return
    }
    try await write([.head(answer.head)])
    var start = answer.body.readerIndex
    while start < answer.body.writerIndex {
      let end = min(start + Self.piece, answer.body.writerIndex)
      // Copy the bytes, because a slice would keep the whole answer in memory until its last bytes are sent.
      try await write([.body(ByteBuffer(bytes: answer.body.getBytes(at: start, length: end - start) ?? []))])
      start = end
    }
    try await write([.end(nil)])
  }

  /// Writes parts of an answer, and waits until the socket has accepted them. Cancelling the task closes the
  /// connection, because the server would otherwise wait for a client that does not read.
  private func write(_ parts: [HTTPResponsePart]) async throws {
    try await withTaskCancellationHandler {
      try await channel.eventLoop.flatSubmit { [channel] in
        let writes = parts.map { channel.write($0) }
        channel.flush()
        return EventLoopFuture.andAllSucceed(writes, on: channel.eventLoop)
      }.get()
    } onCancel: {
      channel.close(promise: nil)
    }
  }
}
