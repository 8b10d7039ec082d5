import NIOCore
import NIOWebSocket

/// Frames as a server sends them: whole and unmasked (RFC 6455, 5.1 and 5.2), so that the same bytes go to everybody.
enum ServerFrame {
  /// Appends one frame.
  ///
  /// - Parameters:
  ///   - opcode: of a message that is not fragmented, or of a control frame.
  ///   - payload: of a control frame at most 125 bytes (5.5).
  static func append(_ opcode: WebSocketOpcode, _ payload: some Collection<UInt8>, to buffer: inout ByteBuffer) {
    let count = payload.count
    buffer.writeInteger(0x80 | UInt8(webSocketOpcode: opcode))
    switch count {
    case 0..<126: buffer.writeInteger(UInt8(count))
    case 126...0xFFFF:
      buffer.writeInteger(UInt8(126))
      buffer.writeInteger(UInt16(count))
    default:
      buffer.writeInteger(UInt8(127))
      buffer.writeInteger(UInt64(count))
    }
    buffer.writeBytes(payload)
  }

  /// A close frame (5.5.1); the reason is cut if it is longer than fits. Without a code it is empty.
  static func close(_ code: WebSocketErrorCode?, _ reason: String) -> ByteBuffer {
    var payload = ByteBuffer()
    if let code {
      payload.write(webSocketErrorCode: code)
      // Cut between characters: a reason is UTF-8.
      var text = reason
      while text.utf8.count > 123 { text.removeLast() }
      payload.writeString(text)
    }
    var frame = ByteBuffer()
    append(.connectionClose, payload.readableBytesView, to: &frame)
    return frame
  }
}
