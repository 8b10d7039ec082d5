import NIOCore
import NIOWebSocket

/// The content of a client's close frame (RFC 6455, 5.5.1).
enum ClosePayload: Equatable {
  /// The payload is empty, or contains a status code that a client may send. The server's close frame repeats this
  /// code.
  case valid(WebSocketErrorCode?)
  case failure(WebSocketErrorCode, String)

  init(_ payload: ByteBufferView) {
    guard !payload.isEmpty else {
      self = .valid(nil)
      return
    }
    guard payload.count >= 2 else {
      self = .failure(.protocolError, "a close frame has half a status code")
      return
    }
    let code = UInt16(payload[payload.startIndex]) << 8 | UInt16(payload[payload.startIndex + 1])
    guard Self.maySend(code) else {
      self = .failure(.protocolError, "a close frame has the status code \(code), which is never sent")
      return
    }
    var check = UTF8Check()
    guard check.append(payload.dropFirst(2)), check.isComplete else {
      self = .failure(.dataInconsistentWithMessage, "the reason of a close frame is not UTF-8")
      return
    }
    self = .valid(WebSocketErrorCode(codeNumber: Int(code)))
  }

  /// Whether a client's close frame may contain a code. Allowed are the codes of RFC 6455 (7.4.1), of IANA's registry,
  /// and the ranges for libraries and applications.
  private static func maySend(_ code: UInt16) -> Bool {
    switch code {
    case 1_000...1_003, 1_007...1_014, 3_000...4_999: true
    default: false
    }
  }
}
