/// Segmentation of messages into CAN frames (ISO 15765-2).
enum ISOTP {
  /// Divides a message into one single frame, or into a first frame and consecutive frames. Each frame is padded to 8
  /// bytes (ISO 15765-4).
  ///
  /// - Parameter extendedAddress: address byte at the start of each frame; `nil` if none.
  static func frames(_ message: [UInt8], extendedAddress: UInt8?, padding: UInt8) -> [[UInt8]] {
    let prefix = extendedAddress.map { [$0] } ?? []
    let room = 7 - prefix.count
    func filled(_ bytes: [UInt8]) -> [UInt8] {
      prefix + bytes + [UInt8](repeating: padding, count: max(0, 8 - prefix.count - bytes.count))
    }
    guard message.count > room else { return [filled([UInt8(message.count)] + message)] }
    var frames = [filled([0x10 | UInt8(message.count >> 8), UInt8(message.count & 0xFF)] + message.prefix(room - 1))]
    var index: UInt8 = 1
    for start in stride(from: room - 1, to: message.count, by: room) {
      frames.append(filled([0x20 | index] + message[start..<min(start + room, message.count)]))
      index = (index + 1) & 0x0F
    }
    return frames
  }
}

/// The flow control frame that an ECU receives after it has sent a first frame.
struct FlowControl: Equatable {
  /// CAN identifier of the flow control frame.
  var header: UInt32
  /// Address byte at the start of the flow control frame; `nil` without extended addressing.
  var extendedAddress: UInt8?
  /// Whether the ECU may send further frames.
  var isClear = true
  /// Number of frames that the ECU may send before the next flow control frame; 0 for no limit.
  var blockSize: UInt8 = 0
  /// Minimum time between two frames, in the encoding of ISO 15765-2, section 9.6.5.4.
  var separation: UInt8 = 0

  var separationTime: Duration {
    switch separation {
    case 0x00...0x7F: .milliseconds(Int(separation))
    case 0xF1...0xF9: .microseconds(100 * Int(separation & 0x0F))
    default: .milliseconds(127)
    }
  }
}
