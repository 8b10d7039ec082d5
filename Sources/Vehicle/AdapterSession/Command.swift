import OBDWire

/// One command to the adapter: its bytes, including the CR. A session sends nothing else.
///
/// Only this file can create a command: from an ``AdapterCommand``, from a ``ReadRequest`` or, for service 04, from the
/// proof that clearing is allowed. No command can be created from arbitrary bytes or text. Therefore a session cannot
/// change the vehicle in any other way.
public struct Command: BitwiseCopyable, Sendable {
  /// Maximum number of bytes of a command, including the CR. The longest commands are ATFCSH or ATCRA with eight
  /// digits, and a request of seven bytes with its count of expected frames.
  public static let capacity = 24

  private var storage = InlineArray<24, UInt8>(repeating: 0)
  /// Number of bytes, including the CR.
  public private(set) var count = 0
  /// Whether the command is for the adapter itself, not for an ECU.
  public private(set) var isForAdapter = false
  /// Whether the answer contains the adapter's banner.
  private(set) var expectsBanner = false

  /// The bytes to send, including the CR.
  public var bytes: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { storage.span.extracting(first: count) }
  }

  /// The command without its CR.
  var text: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { storage.span.extracting(first: max(0, count - 1)) }
  }

  /// Creates a request to the vehicle.
  ///
  /// - Parameter expectedFrames: number of frames that all ECUs together will send, 1…15; 0 if unknown. After this
  ///   number of frames, the adapter no longer waits for more.
  init(_ request: ReadRequest, expectedFrames: UInt8 = 0) {
    var made = self.storage
    var length = 0
    request.forEachByte { byte in
      made[length] = Self.digit(byte >> 4)
      made[length + 1] = Self.digit(byte & 0xF)
      length += 2
    }
    storage = made
    count = length
    if expectedFrames > 0, expectedFrames <= 15 { append(Self.digit(expectedFrames)) }
    append(UInt8(ascii: "\r"))
  }

  /// Creates a command to the adapter.
  init(_ command: AdapterCommand) {
    isForAdapter = true
    expectsBanner = command.expectsBanner
    switch command {
    case .reset: append("ATZ")
    case .defaults: append("ATD")
    case .warmStart: append("ATWS")
    case .echoOff: append("ATE0")
    case .linefeedsOff: append("ATL0")
    case .spacesOff: append("ATS0")
    case .headersOn: append("ATH1")
    case .adaptiveTiming: append("ATAT1")
    case .timeout(let steps): append("ATST", hex: UInt32(steps), digits: 2)
    case .selectProtocol(let digit):
      append("ATSP")
      append(digit)
    case .preferProtocol(let digit):
      append("ATSPA")
      append(digit)
    case .identify: append("ATI")
    case .describe: append("AT@1")
    case .identifySTN: append("STI")
    case .listParameters: append("ATPPS")
    case .voltage: append("ATRV")
    case .protocolNumber: append("ATDPN")
    case .header(.can11(let identifier)): append("ATSH", hex: UInt32(identifier), digits: 3)
    case .header(.can29(let identifier)): append("ATSH", hex: identifier & 0xFF_FFFF, digits: 6)
    case .header(.legacy(let bytes)): append("ATSH", hex: bytes, digits: 6)
    case .priority(let bits): append("ATCP", hex: UInt32(bits), digits: 2)
    case .receive(let address): append("ATCRA", hex: address.value, digits: address.digitCount)
    case .receiveAutomatic: append("ATAR")
    case .receiveReset: append("ATCRA")
    case .extendedAddress(nil): append("ATCEA")
    case .extendedAddress(let address?): append("ATCEA", hex: UInt32(address), digits: 2)
    case .testerAddress(let address): append("ATTA", hex: UInt32(address), digits: 2)
    case .flowControlHeader(.can11(let identifier)): append("ATFCSH", hex: UInt32(identifier), digits: 3)
    case .flowControlHeader(.can29(let identifier)): append("ATFCSH", hex: identifier, digits: 8)
    case .flowControlHeader(.legacy(let bytes)): append("ATFCSH", hex: bytes, digits: 6)
    // The data bytes mean: clear to send, no block size, no separation time (ISO 15765-2, 9.6.5).
    case .flowControlData: append("ATFCSD300000")
    case .flowControlMode(let mode): append("ATFCSM", hex: UInt32(mode), digits: 1)
    case .closeProtocol: append("ATPC")
    case .wakeup(let steps): append("ATSW", hex: UInt32(steps), digits: 2)
    case .lowPower: append("ATLP")
    case .baudTimeout(let steps): append("ATBRT", hex: UInt32(steps), digits: 2)
    case .baudTimeoutSTN(let milliseconds): append("STBRT", decimal: UInt32(milliseconds))
    case .tryBaudDivisor(let divisor): append("ATBRD", hex: UInt32(divisor), digits: 2)
    case .tryBaudSTN(let baud): append("STBR", decimal: baud)
    }
    append(UInt8(ascii: "\r"))
  }

  /// A CR alone, which confirms a new baud rate (``AdapterCommand/tryBaudDivisor(_:)``). It is sent only during a
  /// change of the baud rate: at any other time, it would make the adapter repeat its last command.
  static let confirmation: Command = {
    var command = Command()
    command.isForAdapter = true
    command.append(UInt8(ascii: "\r"))
    return command
  }()

  private init() {}

  /// Creates the command for service 04, the only command that changes the vehicle.
  init(clearing proof: consuming ClearProof) {
    append("04")
    append(UInt8(ascii: "\r"))
  }

  private mutating func append(_ byte: UInt8) {
    storage[count] = byte
    count += 1
  }

  private mutating func append(_ word: StaticString, hex value: UInt32 = 0, digits: Int = 0) {
    for i in 0..<word.utf8CodeUnitCount { append(unsafe word.utf8Start[i]) }
    for i in (0..<digits).reversed() { append(Self.digit(UInt8(truncatingIfNeeded: value >> UInt32(4 * i)) & 0xF)) }
  }

  private mutating func append(_ word: StaticString, decimal value: UInt32) {
    append(word)
    var divisor: UInt32 = 1
    while value / divisor >= 10 { divisor *= 10 }
    while divisor > 0 {
      append(Self.digit(UInt8(truncatingIfNeeded: value / divisor % 10)))
      divisor /= 10
    }
  }

  static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") - 10 + value
  }
}

extension Command: Equatable {
  /// Whether both commands have the same bytes.
  public static func == (a: Command, b: Command) -> Bool {
    guard a.count == b.count else { return false }
    for i in 0..<a.count where a.storage[i] != b.storage[i] { return false }
    return true
  }
}
