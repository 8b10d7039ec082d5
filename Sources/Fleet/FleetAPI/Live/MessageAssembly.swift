import NIOWebSocket

/// Joins the frames of a fragmented message from a client (RFC 6455, 5.4).
struct MessageAssembly {
  enum Outcome {
    case incomplete
    case text([UInt8])
    case failure(WebSocketErrorCode, String)
  }

  private let limit: Int
  private var bytes: [UInt8] = []
  private var isInside = false
  private var text = UTF8Check()

  /// Creates an assembly without frames.
  ///
  /// - Parameter limit: the maximum length of a whole message in bytes.
  init(limit: Int) { self.limit = limit }

  /// Adds a text, binary or continuation frame, and returns the message if the frame completes it.
  mutating func add(_ frame: WebSocketFrame) -> Outcome {
    if frame.opcode == .binary { return .failure(.unacceptableData, "messages are text; this one is binary") }
    guard isInside == (frame.opcode == .continuation) else {
      return .failure(.protocolError, "a message began inside another, or a continuation came without a beginning")
    }
    let part = frame.unmaskedData.readableBytesView
    guard bytes.count + part.count <= limit else {
      return .failure(.messageTooLarge, "a message is longer than \(limit) bytes")
    }
    // Reject the message at the first invalid byte (8.1), even if the message is not complete.
    guard text.append(part), text.isComplete || !frame.fin else {
      return .failure(.dataInconsistentWithMessage, "a message is not UTF-8")
    }
    bytes += part
    isInside = !frame.fin
    if isInside { return .incomplete }
    defer { bytes = [] }
    return .text(bytes)
  }
}
