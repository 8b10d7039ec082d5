/// The command whose answer is being read.
///
///     010C          service 01, PID 0C
///     010C0D051     three PIDs, and `1`: the number of answer frames to wait for
///     ATRV          a question to the adapter itself
///     7E0.7E8.0144  header of the request, address from which the ECU answers, command
struct Request: BitwiseCopyable {
  enum Kind: UInt8, BitwiseCopyable {
    /// The command is not known or was not understood.
    case unknown
    /// A request to the vehicle.
    case data
    /// A command to the adapter. ``Request/answer`` shows what its answer contains.
    case adapter
  }

  /// Maximum number of identifiers that are stored. In service 01, a request has at most six PIDs (ISO 15031-5,
  /// 7.1.2.1).
  static let identifierCapacity = 12

  var kind: Kind = .unknown
  var answer: AdapterAnswer = .other
  /// Whether the answer is a voltage (ATRV).
  var asksVoltage = false
  /// Whether the answer is the adapter's identification, as after ATZ, ATWS, ATD or ATI. After any other command, an
  /// identification means that the adapter was reset.
  var expectsBanner = false
  var service: UInt8 = 0
  var identifiers = InlineArray<12, UInt16>(repeating: 0)
  var identifierCount = 0
  /// Status mask of 19 02, 19 13 and 19 42 (ISO 14229-1, 12.3.2); 0 if the command has none.
  var statusMask: UInt8 = 0
  /// Address from which the answer must come; ``ECUAddress/unknown`` if the command does not contain one.
  var receiver: ECUAddress = .unknown
  /// The extended address (ISO 15765-2, 10.3.2) from the option `e=2A`. It is the first data byte of each frame.
  var extendedAddress: UInt8 = 0
  var isExtended = false

  /// Whether an answer of this service can belong to the request; `true` if no request to the vehicle is known.
  @inline(__always)
  func admits(service: UInt8) -> Bool { kind != .data || self.service == service }

  /// Whether an answer with this identifier can belong to the request; `true` if no request to the vehicle is known.
  @inline(__always)
  func admits(_ identifier: UInt16) -> Bool { kind != .data || asks(for: identifier) }

  /// Whether an answer with this identifier can belong to the request. The check is fast if identifiers arrive in the
  /// order of the request, as they usually do.
  ///
  /// - Parameter next: position, in the request, of the identifier that is expected next. This call updates it.
  @inline(__always)
  func admits(_ identifier: UInt16, next: inout Int) -> Bool {
    if next < identifierCount, identifiers[next] == identifier {
      next &+= 1
      return true
    }
    return kind != .data || asksOutOfOrder(for: identifier)
  }

  @inline(never)
  private func asksOutOfOrder(for identifier: UInt16) -> Bool { asks(for: identifier) }

  /// Whether the request contains this identifier, or has no identifiers.
  @inline(__always)
  func asks(for identifier: UInt16) -> Bool {
    if identifierCount == 0 || identifiers[0] == identifier { return true }
    for i in 0..<identifierCount where identifiers[i] == identifier { return true }
    return false
  }

  /// Discards the request. The stored identifiers are not valid any more.
  mutating func clear() {
    kind = .unknown
    answer = .other
    asksVoltage = false
    expectsBanner = false
    identifierCount = 0
    statusMask = 0
    receiver = .unknown
    isExtended = false
  }

  /// Sets a request for one to six identifiers of one byte each, such as `010C0D`.
  @inline(__always)
  mutating func set(_ line: inout HexLine) {
    clear()
    kind = .data
    service = line.bytes[0]
    identifierCount = line.count &- 1
    for i in 0..<identifierCount { identifiers[i] = UInt16(line.bytes[i &+ 1]) }
  }

  /// Parses a command that was sent, or that the adapter has echoed.
  ///
  /// - Parameters:
  ///   - command: the command.
  ///   - formatsCAN: whether the adapter formats CAN frames. If `false` (after ATCAF0), the command begins with its
  ///     protocol control byte.
  ///   - link: what is known about the bus. Commands that configure the adapter change it.
  init(command: Span<UInt8>, formatsCAN: Bool, link: inout Link) {
    if readDigits(command, formatsCAN: formatsCAN) { return }
    var text = InlineArray<64, UInt8>(repeating: 0)
    var length = 0
    for i in 0..<command.count {
      var c = command[i]
      if c == UInt8(ascii: "|") {
        readOptions(command.extracting((i + 1)..<command.count))
        break
      }
      if c <= space || c >= 0x7F || c == promptCharacter { continue }
      if c >= UInt8(ascii: "a") && c <= UInt8(ascii: "z") { c -= 32 }
      // OBD requests are never this long. The rest is ignored.
      guard length < 64 else { break }
      text[length] = c
      length += 1
    }
    guard length > 0 else { return }
    if length >= 2 && text[1] == UInt8(ascii: "T")
      && (text[0] == UInt8(ascii: "A") || text[0] == UInt8(ascii: "S"))
    {
      readAdapterCommand(&text, length, &link)
      return
    }
    readDataCommand(&text, length, formatsCAN: formatsCAN)
  }

  init() {}

  /// Reads a command of at most 32 digits in upper case, such as `010C0D1`.
  ///
  /// - Returns: `false` if the command has another format.
  @inline(__always)
  private mutating func readDigits(_ command: Span<UInt8>, formatsCAN: Bool) -> Bool {
    guard command.count >= 2, command.count <= 32 else { return false }
    var bytes = InlineArray<32, UInt8>(repeating: 0)
    var i = 0
    while i < command.count {
      let word = DigitWord(command, at: i)
      guard word.digitCount >= min(8, command.count &- i) else { return false }
      bytes.store(word.fourBytes, at: i &>> 1)
      i &+= 8
    }
    // If the number of digits is odd, the last digit is the count of expected frames, which is not part of the request.
    readBytes(&bytes, count: command.count &>> 1, formatsCAN: formatsCAN)
    return true
  }

  /// Reads options such as `t=96,e=2A,fc=1`. Only `e`, extended addressing, changes the answer.
  private mutating func readOptions(_ text: Span<UInt8>) {
    for i in 0..<text.count where text[i] == UInt8(ascii: "=") {
      guard i > 0, text[i - 1] == UInt8(ascii: "e"), i == 1 || text[i - 2] == UInt8(ascii: ","), i + 2 < text.count
      else { continue }
      let high = Hex.value(text[i + 1])
      let low = Hex.value(text[i + 2])
      guard high | low < 16 else { continue }
      extendedAddress = high << 4 | low
      isExtended = true
    }
  }

  private mutating func readAdapterCommand(_ text: inout InlineArray<64, UInt8>, _ length: Int, _ link: inout Link) {
    kind = .adapter
    let isST = text[0] == UInt8(ascii: "S")
    func follows(_ word: StaticString) -> Bool {
      guard length >= 2 + word.utf8CodeUnitCount else { return false }
      for i in 0..<word.utf8CodeUnitCount where text[2 + i] != word[byte: i] { return false }
      return true
    }
    func digit(_ index: Int) -> UInt8 { index < length ? text[index] : 0 }
    if isST {
      if follows("I") || follows("DI") {
        answer = .identity
        expectsBanner = true
      }
      return
    }
    if follows("DPN") {
      answer = .protocolNumber
    } else if follows("DP") {
      answer = .protocolName
    } else if follows("@") {
      answer = .description
    } else if follows("RV") {
      asksVoltage = true
    } else if follows("SPA") || follows("TPA") {
      link.hinted = BusProtocol(elmDigit: digit(5))
      link.forgetFrames()
    } else if follows("SP") || follows("TP") {
      link.hinted = BusProtocol(elmDigit: digit(4))
      link.forgetFrames()
    } else if follows("H0") {
      link.forgetHeader()
    } else if follows("CAF") {
      link.formatsCAN = digit(5) != UInt8(ascii: "0")
    } else if follows("Z") || follows("WS") || follows("I") || follows("D") && length == 3 {
      answer = .identity
      expectsBanner = true
      if !follows("I") {
        link.formatsCAN = true
        link.forgetFrames()
      }
    } else if follows("LP") {
      expectsBanner = true
    }
  }

  private mutating func readDataCommand(_ text: inout InlineArray<64, UInt8>, _ length: Int, formatsCAN: Bool) {
    // The format is `header.receiver.command` or `header.command`.
    var start = 0
    var dots = 0
    var firstDot = 0
    for i in 0..<length where text[i] == UInt8(ascii: ".") {
      dots += 1
      if dots == 1 { firstDot = i }
      if dots == 2 { receiver = Self.address(&text, from: firstDot + 1, to: i) }
      start = i + 1
    }
    guard dots <= 2, start < length else { return }
    var bytes = InlineArray<32, UInt8>(repeating: 0)
    var count = 0
    var i = start
    while i < length {
      let high = Hex.value(text[i])
      guard high < 16 else { return }
      // If the number of digits is odd, the last digit is the count of expected frames, which is not part of the
      // request.
      guard i + 1 < length else { break }
      let low = Hex.value(text[i + 1])
      guard low < 16 else { return }
      if count < 32 {
        bytes[count] = high << 4 | low
        count += 1
      }
      i += 2
    }
    readBytes(&bytes, count: count, formatsCAN: formatsCAN)
  }

  private mutating func readBytes(_ bytes: inout InlineArray<32, UInt8>, count: Int, formatsCAN: Bool) {
    var count = count
    var first = 0
    if !formatsCAN, count > 1, bytes[0] & 0xF0 == 0, Int(bytes[0] & 0x0F) <= count - 1 {
      first = 1
      count = 1 + Int(bytes[0] & 0x0F)
    }
    guard count > first else { return }
    kind = .data
    service = bytes[first]
    switch service {
    case 0x01, 0x06, 0x09, 0x21, 0x05:
      for k in (first + 1)..<max(count, first + 1) { append(UInt16(bytes[k])) }
      // In service 05, a request has one test and one sensor; in service 21, one identifier.
      if service == 0x05 || service == 0x21 { identifierCount = min(identifierCount, 1) }
    case 0x02:
      var k = first + 1
      while k < count {
        append(UInt16(bytes[k]))
        k += 2
      }
    case 0x22:
      var k = first + 1
      while k + 1 < count {
        append(UInt16(bytes[k]) << 8 | UInt16(bytes[k + 1]))
        k += 2
      }
    case 0x19:
      guard count > first + 1 else { break }
      append(UInt16(bytes[first + 1]))
      switch bytes[first + 1] {
      case 0x02, 0x13: statusMask = count > first + 2 ? bytes[first + 2] : 0
      // The functional group precedes the status mask.
      case 0x42: statusMask = count > first + 3 ? bytes[first + 3] : 0
      default: break
      }
    default: break
    }
  }

  private mutating func append(_ identifier: UInt16) {
    guard identifierCount < Self.identifierCapacity else { return }
    identifiers[identifierCount] = identifier
    identifierCount += 1
  }

  private static func address(_ text: inout InlineArray<64, UInt8>, from first: Int, to end: Int) -> ECUAddress {
    var value: UInt32 = 0
    for i in first..<end {
      let digit = Hex.value(text[i])
      guard digit < 16 else { return .unknown }
      value = value << 4 | UInt32(digit)
    }
    switch end - first {
    case 3: return .can11(value)
    case 8: return .can29(value)
    case 2: return .legacy(UInt8(truncatingIfNeeded: value))
    default: return .unknown
    }
  }

  /// Whether a text line after a prompt looks like the echo of a command. It is used only if no command is known.
  ///
  /// Answers begin with a byte of 0x40 or more, or with an identifier. Requests begin with their service, which is
  /// below 0x40. After ATCAF0, an answer begins with a protocol control byte, which is recognized because it equals the
  /// answer's length.
  static func looksLikeEcho(_ line: inout HexLine) -> Bool {
    guard line.count > 0 || line.hasIdentifier, line.count <= 16 else { return false }
    if line.hasIdentifier {
      // 031 is service 03 with a count; 010C1 and 01 0C 1 also end with a count. An 11-bit identifier may also begin
      // with 0 to 7, but ECUs answer with 7xx, and no OBD request begins with 7.
      return line.identifier >> 4 < 0x40 && isRequestService(UInt8(truncatingIfNeeded: line.identifier >> 4))
    }
    let service = line.bytes[0]
    guard isRequestService(service) else { return false }
    // 18 DA F1 10 … is a 29-bit identifier, not service 18 of ISO 14230.
    if service == 0x18, line.count >= 5, line.bytes[1] == 0xDA { return false }
    if line.count >= 8 && service != 0x22 && service != 0x01 { return false }
    if line.count >= 4, Int(service) <= line.count - 1, line.bytes[1] >= 0x41, line.bytes[1] <= 0x7F,
      Int(service) == line.count - 1 || line.count == 8
    {
      return false
    }
    return true
  }

  /// Whether a request to a vehicle may have this service (SAE J1979, ISO 14229-1, ISO 14230-3). The list also contains
  /// other services that occur in captures.
  private static func isRequestService(_ service: UInt8) -> Bool {
    switch service {
    case 0x01...0x0A, 0x10, 0x11, 0x12, 0x13, 0x14, 0x17, 0x18, 0x19, 0x1A, 0x20, 0x21, 0x22, 0x23, 0x27, 0x28, 0x2E,
      0x2F, 0x30, 0x31, 0x3E:
      true
    default: false
    }
  }
}

extension StaticString {
  /// Returns one byte of the text. All texts here are ASCII.
  subscript(byte index: Int) -> UInt8 {
    // A StaticString exists as long as the program, and every caller passes an index below its count.
    unsafe utf8Start[index]
  }
}
