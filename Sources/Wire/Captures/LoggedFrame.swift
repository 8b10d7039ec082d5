/// A CAN frame with at most 8 data bytes in a log.
struct LoggedFrame {
  private(set) var identifier: UInt32 = 0
  private(set) var isExtended = false
  /// Whether the device that wrote the log sent the frame; `nil` if unknown.
  var isTransmitted: Bool?
  private(set) var count = 0
  private var bytes = InlineArray<8, UInt8>(repeating: 0)

  subscript(index: Int) -> UInt8 { bytes[index] }

  /// Appends a data byte.
  ///
  /// - Returns: `false` if the frame has 8 data bytes already.
  mutating func append(_ byte: UInt8) -> Bool {
    guard count < 8 else { return false }
    bytes[count] = byte
    count += 1
    return true
  }

  /// Sets the identifier from text: three hexadecimal digits for 11 bits, eight for 29 bits.
  ///
  /// - Returns: `false` for any other text.
  mutating func setIdentifier(_ text: Span<UInt8>) -> Bool {
    guard text.count == 3 || text.count == 8 else { return false }
    return setIdentifier(text, isExtended: text.count == 8)
  }

  /// Sets the identifier from hexadecimal digits.
  ///
  /// - Returns: `false` if the text is not a hexadecimal number, or the number does not fit an identifier of this
  ///   length.
  mutating func setIdentifier(_ text: Span<UInt8>, isExtended: Bool) -> Bool {
    guard (1...8) ~= text.count else { return false }
    var value: UInt32 = 0
    for i in 0..<text.count {
      guard let digit = text[i].hexValue else { return false }
      value = value << 4 | UInt32(digit)
    }
    guard isExtended || value <= 0x7FF else { return false }
    identifier = value
    self.isExtended = isExtended
    return true
  }

  // MARK: ISO 15765-2 and ISO 15765-4

  /// Frame type in the protocol control information (ISO 15765-2:2016, section 9.6.1): 0 single, 1 first, 2
  /// consecutive, 3 flow control; `nil` if the frame has no data.
  var frameType: UInt8? { count > 0 ? bytes[0] >> 4 : nil }

  /// Range of the payload in ``bytes`` if this is a complete single frame; otherwise `nil`.
  var singlePayload: Range<Int>? {
    guard frameType == 0 else { return nil }
    let length = Int(bytes[0] & 0x0F)
    return length >= 1 && length < count ? 1..<1 + length : nil
  }

  /// Whether the frame is a request to all ECUs, or to an ECU with an address of ISO 15765-4:2016, section 10.5.
  var isOBDRequest: Bool {
    isExtended
      ? identifier == 0x18DB_33F1 || identifier & 0xFFFF_00FF == 0x18DA_00F1 && identifier != 0x18DA_F1F1
      : identifier == 0x7DF || (0x7E0...0x7E7) ~= identifier
  }

  /// Whether the frame is an answer to the tester, with an address of ISO 15765-4.
  var isOBDResponse: Bool {
    isExtended
      ? identifier & 0xFFFF_FF00 == 0x18DA_F100 && identifier != 0x18DA_F1F1 : (0x7E8...0x7EF) ~= identifier
  }

  /// Whether the frame may be a request to an ECU with a manufacturer-specific identifier (`7C0 02 21 01 …`). The
  /// identifier of the answer is greater by 8.
  var mayBePhysicalRequest: Bool {
    guard !isExtended, !isOBDRequest, identifier <= 0x7F7, identifier & 8 == 0, let payload = singlePayload,
      identifier >= 0x600 || isTransmitted == true
    else { return false }
    switch bytes[payload.lowerBound] {
    case 0x01...0x0A, 0x10, 0x11, 0x12, 0x13, 0x14, 0x17, 0x18, 0x19, 0x1A, 0x21, 0x22, 0x23, 0x24, 0x27, 0x28, 0x2A,
      0x2C, 0x2E, 0x2F, 0x30, 0x31, 0x32, 0x33, 0x3B, 0x3E, 0x85:
      return true
    default: return false
    }
  }

  /// Whether the frame is a negative response that asks the tester to wait (ISO 14229-1:2020, annex A, code 0x78).
  var isResponsePending: Bool {
    guard let payload = singlePayload, payload.count == 3 else { return false }
    return bytes[1] == 0x7F && bytes[3] == 0x78
  }
}
