import OBDWire

/// Passes the results of the reply reader to the session's observer and to the caller's handler, except those from
/// senders that the filter rejects.
struct ReplyTap<Handler: ReplyHandler & ~Copyable>: ~Copyable, ReplyHandler {
  var observer: ReplyObserver
  var handler: Handler
  var filter: SenderFilter

  /// Whether a message from this sender can answer the request. If the kind of addresses on the bus is unknown, the
  /// first sender in the reply determines it.
  private func admits(_ origin: Origin) -> Bool {
    var filter = filter
    if filter.kind == nil, observer.senderCount > 0 { filter.kind = observer.sender(0).kind }
    if filter.kind == .unknown { filter.kind = nil }
    return filter.admits(origin.ecu)
  }

  mutating func request(_ command: Span<UInt8>, position: UInt64) { handler.request(command, position: position) }

  mutating func message(_ payload: Span<UInt8>, origin: Origin) {
    guard admits(origin) else { return handler.failure(WireError(.unexpected, origin: origin), line: Span()) }
    observer.message(payload, origin: origin)
    handler.message(payload, origin: origin)
  }

  mutating func reading(_ reading: Reading) {
    guard admits(reading.origin) else { return }
    observer.reading(reading)
    handler.reading(reading)
  }

  mutating func text(_ text: TextReading, _ bytes: Span<UInt8>) {
    guard admits(text.origin) else { return }
    observer.text(text, bytes)
    handler.text(text, bytes)
  }

  mutating func troubleCodes(_ list: TroubleCodeList, _ codes: Span<TroubleCode>) {
    guard admits(list.origin) else { return }
    observer.codes(list, codes)
    handler.troubleCodes(list, codes)
  }

  mutating func codesCleared(origin: Origin) { if admits(origin) { handler.codesCleared(origin: origin) } }

  mutating func testResult(_ result: TestResult) { if admits(result.origin) { handler.testResult(result) } }

  mutating func supported(_ bitmap: UInt32, service: UInt8, base: UInt16, origin: Origin) {
    guard admits(origin) else { return }
    observer.supported(bitmap, service: service, base: base, origin: origin)
    handler.supported(bitmap, service: service, base: base, origin: origin)
  }

  mutating func adapter(_ answer: AdapterAnswer, _ bytes: Span<UInt8>, origin: Origin) {
    observer.adapter(answer, bytes)
    handler.adapter(answer, bytes, origin: origin)
  }

  mutating func failure(_ error: WireError, line: Span<UInt8>) {
    observer.failure(error, line: line)
    handler.failure(error, line: line)
  }

  mutating func endOfReply(position: UInt64) { handler.endOfReply(position: position) }
}
