/// Receives messages, readings and errors from a ``ReplyReader``.
///
/// For each reply, `request` is called first, if the command is known from ``ReplyReader/sent(_:loaded:into:)`` or from
/// its echo. Then the other functions are called in the order of the text lines. At the prompt, `endOfReply` is called.
/// Spans are valid only during a call. All functions except `reading` and `failure` have an empty default
/// implementation.
public protocol ReplyHandler: ~Copyable {
  /// Reports the command whose answer follows, as it was sent, without its CR.
  mutating func request(_ command: Span<UInt8>, position: UInt64)
  /// Receives one ECU's complete answer, which was reassembled and checked. It begins with the service byte and has no
  /// padding.
  mutating func message(_ payload: Span<UInt8>, origin: Origin)
  mutating func reading(_ reading: Reading)
  mutating func text(_ text: TextReading, _ bytes: Span<UInt8>)
  mutating func troubleCodes(_ list: TroubleCodeList, _ codes: Span<TroubleCode>)
  /// Reports that an ECU has cleared its trouble codes and related data, after a request of service 04 (SAE J1979, 6.4)
  /// or of UDS service 14 (ISO 14229-1, 12.2).
  mutating func codesCleared(origin: Origin)
  mutating func testResult(_ result: TestResult)
  /// Reports which identifiers an ECU supports (PIDs 00, 20, 40, … of services 01, 02, 06, 09; 22F400, …).
  ///
  /// - Parameters:
  ///   - bitmap: one bit for each identifier, from `base` + 1 (the most significant bit) to `base` + 32.
  ///   - service: the service to which the identifiers belong.
  ///   - base: the identifier in the request.
  ///   - origin: where the answer comes from.
  mutating func supported(_ bitmap: UInt32, service: UInt8, base: UInt16, origin: Origin)
  /// Receives the adapter's answer to an AT or ST command.
  mutating func adapter(_ answer: AdapterAnswer, _ bytes: Span<UInt8>, origin: Origin)
  /// Reports an error.
  ///
  /// - Parameters:
  ///   - error: the error.
  ///   - line: the text line as it was received, without its CR. It contains at most the first 1,024 bytes.
  mutating func failure(_ error: WireError, line: Span<UInt8>)
  /// Reports the prompt, which means that the adapter is ready for the next command.
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
