import NIOCore

/// Finds frames whose length is not written in the shortest form, as RFC 6455 (5.2) demands: up to 125 bytes in 7 bits, up
/// to 65,535 in 16, longer ones in 64.
struct FrameLengthCheck {
  private enum Part {
    case opcode
    case length
    /// Bytes of the extended length: how many are still to come, their value so far, and the least value in this form.
    case extended(missing: Int, value: UInt64, least: UInt64, isMasked: Bool)
    /// The number of bytes of mask and payload that are still to come.
    case payload(UInt64)
  }

  private var part = Part.opcode

  /// Takes the next bytes of the connection.
  ///
  /// - Returns: how many of them come before the end of the first length in a longer form; `nil` if there is none.
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

/// Passes bytes on to the frame decoder up to a frame whose length is not in the shortest form, then ``Fault``.
final class FrameLengthHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  /// A frame's length is not in the shortest form; nothing that comes after it is read.
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
