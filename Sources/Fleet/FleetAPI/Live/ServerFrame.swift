import NIOCore
import NIOWebSocket

/// Encodes the server's frames. They are unmasked and not fragmented (RFC 6455, sections 5.1 and 5.2), so all clients
/// can receive the same bytes.
enum ServerFrame {
  /// Appends one frame.
  ///
  /// - Parameters:
  ///   - opcode: the opcode of a text or binary message, or of a control frame.
  ///   - payload: for a control frame at most 125 bytes (5.5).
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

  /// Returns a close frame (5.5.1). A reason that is too long is shortened. Without a code, the frame has no payload.
  static func close(_ code: WebSocketErrorCode?, _ reason: String) -> ByteBuffer {
    var payload = ByteBuffer()
    if let code {
      payload.write(webSocketErrorCode: code)
      // Shorten the reason only between characters, because it must be valid UTF-8.
      var text = reason
      while text.utf8.count > 123 { text.removeLast() }
      payload.writeString(text)
    }
    var frame = ByteBuffer()
    append(.connectionClose, payload.readableBytesView, to: &frame)
    return frame
  }
}
