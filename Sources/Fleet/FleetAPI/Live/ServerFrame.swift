import NIOCore
import NIOWebSocket

/// Encodes the frames that the server sends. They are unmasked and not fragmented (RFC 6455, sections 5.1 and 5.2).
/// Therefore all clients can receive the same bytes.
enum ServerFrame {
  /// Appends one frame.
  ///
  /// - Parameters:
  ///   - opcode: the type of the frame.
  ///   - payload: the payload; at most 125 bytes for a control frame (5.5).
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

  /// Returns a close frame (5.5.1). Shortens a reason that is too long. If the code is `nil`, the frame has no payload.
  static func close(_ code: WebSocketErrorCode?, _ reason: String) -> ByteBuffer {
    var payload = ByteBuffer()
    if let code {
      payload.write(webSocketErrorCode: code)
      // Remove whole characters, because the reason must be valid UTF-8.
      var text = reason
      while text.utf8.count > 123 { text.removeLast() }
      payload.writeString(text)
    }
    var frame = ByteBuffer()
    append(.connectionClose, payload.readableBytesView, to: &frame)
    return frame
  }
}
