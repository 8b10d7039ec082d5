/// Takes what a ``ReplyReader`` finds, as it finds it.
///
/// Call order: for each exchange, `request` when the command is known (an echo or ``ReplyReader/sent(_:)``), then any
/// number of the others in the order of the lines, then `endOfReply` at the prompt. Spans are valid during the call
/// only.
public protocol ReplyHandler: ~Copyable {
  /// The command whose answer follows, as sent (no CR).
  mutating func request(_ command: Span<UInt8>, position: UInt64)
  /// One ECU's whole answer, reassembled and checked: service byte first, padding cut.
  mutating func message(_ payload: Span<UInt8>, origin: Origin)
  mutating func reading(_ reading: Reading)
  mutating func text(_ text: TextReading, _ bytes: Span<UInt8>)
  mutating func troubleCodes(_ list: TroubleCodeList, _ codes: Span<TroubleCode>)
  /// An ECU has cleared its trouble codes, and what goes with them: service 04 (SAE J1979, 6.4) or UDS service 14
  /// (ISO 14229-1, 12.2) is done.
  mutating func codesCleared(origin: Origin)
  mutating func testResult(_ result: TestResult)
  /// Which identifiers the ECU supports: the most significant bit of `bitmap` stands for `base` + 1, the least for
  /// `base` + 32 (PIDs 00, 20, 40, … of services 01, 02, 06, 09; 22F400, …).
  mutating func supported(_ bitmap: UInt32, service: UInt8, base: UInt16, origin: Origin)
  /// What the adapter says of itself in answer to an AT or ST command.
  mutating func adapter(_ answer: AdapterAnswer, _ bytes: Span<UInt8>, origin: Origin)
  /// - Parameter line: the line as received, without its CR; its first 1,024 bytes where it was longer.
  mutating func failure(_ error: WireError, line: Span<UInt8>)
  /// The prompt was read: the adapter waits for the next command.
  mutating func endOfReply(position: UInt64)
}

extension ReplyHandler where Self: ~Copyable {
  public mutating func request(_ command: Span<UInt8>, position: UInt64) {}
  public mutating func message(_ payload: Span<UInt8>, origin: Origin) {}
  public mutating func text(_ text: TextReading, _ bytes: Span<UInt8>) {}
  public mutating func troubleCodes(_ list: TroubleCodeList, _ codes: Span<TroubleCode>) {}
  public mutating func codesCleared(origin: Origin) {}
  public mutating func testResult(_ result: TestResult) {}
  public mutating func supported(_ bitmap: UInt32, service: UInt8, base: UInt16, origin: Origin) {}
  public mutating func adapter(_ answer: AdapterAnswer, _ bytes: Span<UInt8>, origin: Origin) {}
  public mutating func endOfReply(position: UInt64) {}
}
