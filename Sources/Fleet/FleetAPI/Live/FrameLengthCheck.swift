import NIOCore

/// Finds WebSocket frames whose length is not encoded in the shortest form. RFC 6455 (5.2) requires 7 bits for up to
/// 125 bytes, 16 bits for up to 65,535 bytes, and 64 bits for longer frames.
struct FrameLengthCheck {
  private enum Part {
    case opcode
    case length
    /// The extended length is being read. `missing` is the number of bytes that have not been read yet, and `value` is
    /// the number that the other bytes form. `least` is the smallest length for which this form is allowed, and
    /// `isMasked` is whether a mask follows.
    case extended(missing: Int, value: UInt64, least: UInt64, isMasked: Bool)
    /// The mask and the payload are being skipped. The value is the number of remaining bytes.
    case payload(UInt64)
  }

  private var part = Part.opcode

  /// Checks the next received bytes of a connection.
  ///
  /// - Returns: `nil` if all lengths are in the shortest form. Otherwise, the offset in `bytes` at which the first
  ///   length that is not in this form has its last byte.
  mutating func firstFault(in bytes: ByteBufferView) -> Int? {
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let byte = bytes[index]
      switch part {
      case .opcode: part = .length
      case .length:
        let isMasked = byte & 0x80 != 0
        switch byte & 0x7F {
        case 126: part = .extended(missing: 2, value: 0, least: 126, isMasked: isMasked)
        case 127: part = .extended(missing: 8, value: 0, least: 65_536, isMasked: isMasked)
        case let count: begin(UInt64(count), isMasked)
        }
      case .extended(let missing, let before, let least, let isMasked):
        let value = before << 8 | UInt64(byte)
        if missing > 1 {
          part = .extended(missing: missing - 1, value: value, least: least, isMasked: isMasked)
        } else if value < least || value > Int64.max {
          return index - bytes.startIndex
        } else {
          begin(value, isMasked)
        }
      case .payload(let count):
        let present = min(UInt64(bytes.endIndex - index), count)
        part = count > present ? .payload(count - present) : .opcode
        index += Int(present)
        continue
      }
      index += 1
    }
    return nil
  }

  private mutating func begin(_ count: UInt64, _ isMasked: Bool) {
    let rest = count + (isMasked ? 4 : 0)
    part = rest > 0 ? .payload(rest) : .opcode
  }
}

/// Passes received bytes to the frame decoder, until the length of a frame is not in the shortest form. Then fires the
/// error ``Fault``.
final class FrameLengthHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  /// The length of a frame is not in the shortest form. The following bytes are not read.
  struct Fault: Error {}

  private var check = FrameLengthCheck()
  private var hasFailed = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !hasFailed else { return }
    var bytes = unwrapInboundIn(data)
    guard let fault = check.firstFault(in: bytes.readableBytesView) else {
      context.fireChannelRead(data)
      return
    }
    hasFailed = true
    if fault > 0, let before = bytes.readSlice(length: fault) { context.fireChannelRead(wrapInboundOut(before)) }
    context.fireErrorCaught(Fault())
  }
}
