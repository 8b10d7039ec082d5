/// ISO 15765-2: a message cut into the data fields of CAN frames.
enum ISOTP {
  /// A message that fits one frame, or its first frame; then the consecutive frames. All are 8 bytes long
  /// (ISO 15765-4), filled up with `padding`.
  ///
  /// - Parameter extendedAddress: stands in front of each frame and takes one byte of its room.
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

/// What the adapter lets an ECU do after its first frame.
struct FlowControl: Equatable {
  /// The identifier it is sent to, and the byte in front of it.
  var header: UInt32
  var extendedAddress: UInt8?
  /// Clear to send; else the ECU stops.
  var isClear = true
  /// Frames until the next flow control; 0: all.
  var blockSize: UInt8 = 0
  /// Least time between frames, as coded (ISO 15765-2, 9.6.5.4).
  var separation: UInt8 = 0

  var separationTime: Duration {
    switch separation {
    case 0x00...0x7F: .milliseconds(Int(separation))
    case 0xF1...0xF9: .microseconds(100 * Int(separation & 0x0F))
    default: .milliseconds(127)
    }
  }
}
