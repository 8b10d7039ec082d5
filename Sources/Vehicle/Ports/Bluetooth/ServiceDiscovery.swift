import Glibc

/// Finds the RFCOMM channel of a device's serial port. It sends a request of the Service Discovery Protocol (Bluetooth
/// Core Specification, volume 3, part B) over an L2CAP connection to PSM 1.
///
///     → 06 0001 000F  35 03 19 1101  0200  35 05 0A 0004 0004  00     serial ports? their protocols (attribute 4)?
///     ← 07 0001 ....  .... 35 11 35 0F 09 0004 35 0A 35 03 19 0100 ...  35 05 19 0003 08 01  00
enum ServiceDiscovery {
  enum Failure: Error, Equatable {
    case timedOut
    case interrupted
    /// The connection ended. The value is `errno`.
    case closed(Int32)
    case noSerialPort
    /// The answer is invalid from the byte at this offset on.
    case malformed(offset: Int)
    /// The device answered with this error code (4.4.1).
    case refused(UInt16)
  }

  /// Maximum size of the attribute lists in an answer, bytes. No more parts of the answer are requested after this
  /// size.
  private static let capacity = 8_192

  /// Sends the request, receives all parts of the answer, and returns the channel.
  ///
  /// - Parameters:
  ///   - connection: a non-blocking packet socket that is connected to the device.
  ///   - deadline: time of ``BootClock`` at which the wait for answers ends.
  ///   - wakeUp: ends the operation when it is signalled.
  static func serialChannel(
    over connection: borrowing Descriptor, until deadline: Int64, unless wakeUp: WakeUp?
  ) throws(Failure) -> UInt8 {
    var attributes: [UInt8] = []
    var continuation: [UInt8] = []
    var transaction: UInt16 = 1
    var packet = [UInt8](repeating: 0, count: 2_048)
    repeat {
      let request = request(transaction: transaction, continuation: continuation)
      guard connection.send(request.span) == request.count else { throw .closed(errno) }
      let count = try receive(&packet, over: connection, until: deadline, unless: wakeUp)
      var answer = try Answer(parsing: packet.span.extracting(first: count), transaction: transaction)
      // An answer that is empty but announces a continuation would be repeated for ever.
      if answer.attributes.isEmpty && !answer.continuation.isEmpty { throw .malformed(offset: 5) }
      attributes += answer.attributes
      swap(&continuation, &answer.continuation)
      transaction &+= 1
    } while !continuation.isEmpty && attributes.count < capacity
    var reader = DataElementReader(attributes.span)
    guard let channel = reader.serialChannel() else { throw .noSerialPort }
    return channel
  }

  /// Returns the bytes of a Service Search Attribute Request (4.7.1).
  static func request(transaction: UInt16, continuation: [UInt8]) -> [UInt8] {
    // First the services: a sequence of one 16-bit UUID, 0x1101 (SerialPort). Then the maximum number of bytes of the
    // answer. Then the attributes: a sequence of one 16-bit number, 0x0004 (ProtocolDescriptorList).
    let parameters: [UInt8] =
      [0x35, 0x03, 0x19, 0x11, 0x01, 0x02, 0x00, 0x35, 0x03, 0x09, 0x00, 0x04, UInt8(continuation.count)] + continuation
    return [0x06, UInt8(transaction >> 8), UInt8(transaction & 0xFF), 0, UInt8(parameters.count)] + parameters
  }

  private static func receive(
    _ packet: inout [UInt8], over connection: borrowing Descriptor, until deadline: Int64, unless wakeUp: WakeUp?
  ) throws(Failure) -> Int {
    switch Connecting.wait(connection, for: POLLIN, until: deadline, unless: wakeUp) {
    case .connected: break
    case .timedOut: throw .timedOut
    case .interrupted: throw .interrupted
    case .failed(let code): throw .closed(code)
    }
    var span = packet.mutableSpan
    let count = connection.read(into: &span)
    guard count > 0 else { throw .closed(count == 0 ? ECONNRESET : errno) }
    return count
  }

  /// A Service Search Attribute Response (4.7.2), which contains a part of the attribute lists and the continuation
  /// state.
  struct Answer {
    var attributes: [UInt8]
    /// The continuation state, which the next request must contain; empty if this is the last part.
    var continuation: [UInt8]

    init(parsing packet: Span<UInt8>, transaction: UInt16) throws(Failure) {
      guard packet.count >= 7 else { throw .malformed(offset: packet.count) }
      if packet[0] == 0x01 { throw .refused(UInt16(packet[5]) << 8 | UInt16(packet[6])) }
      guard packet[0] == 0x07 else { throw .malformed(offset: 0) }
      guard UInt16(packet[1]) << 8 | UInt16(packet[2]) == transaction else { throw .malformed(offset: 1) }
      guard Int(packet[3]) << 8 | Int(packet[4]) == packet.count - 5 else { throw .malformed(offset: 3) }
      let end = 7 + (Int(packet[5]) << 8 | Int(packet[6]))
      guard end < packet.count else { throw .malformed(offset: 5) }
      let more = Int(packet[end])
      guard more <= 16, end + 1 + more == packet.count else { throw .malformed(offset: end) }
      attributes = (7..<end).map { packet[$0] }
      continuation = (end + 1..<packet.count).map { packet[$0] }
    }
  }
}
