import OBDWire

/// The results of a reader, for comparison with a reference.
struct WireFindings: ReplyHandler {
  /// One ECU's whole answer, in upper-case digits; the sender is `nil` without headers.
  struct Message: Equatable {
    var ecu: String?
    var payload: String
  }
  struct Codes {
    var list: TroubleCodeList
    var codes: [String]
  }
  struct Text {
    var reading: TextReading
    var bytes: [UInt8]
    /// The bytes as characters with the same numbers, so that no byte is lost.
    var characters: String { String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })) }
  }

  var messages: [Message] = []
  var readings: [Reading] = []
  var texts: [Text] = []
  var lists: [Codes] = []
  var tests: [TestResult] = []
  var bitmaps: [(bits: UInt32, service: UInt8, base: UInt16)] = []
  var errors: [WireError] = []
  var replies = 0

  mutating func message(_ payload: Span<UInt8>, origin: Origin) {
    messages.append(Message(ecu: Self.name(origin.ecu), payload: Self.digits(payload)))
  }
  mutating func reading(_ reading: Reading) { readings.append(reading) }
  mutating func text(_ text: TextReading, _ bytes: Span<UInt8>) {
    texts.append(Text(reading: text, bytes: bytes.indices.map { bytes[$0] }))
  }
  mutating func troubleCodes(_ list: TroubleCodeList, _ codes: Span<TroubleCode>) {
    lists.append(Codes(list: list, codes: codes.indices.map { Self.name(codes[$0]) }))
  }
  mutating func testResult(_ result: TestResult) { tests.append(result) }
  mutating func supported(_ bitmap: UInt32, service: UInt8, base: UInt16, origin: Origin) {
    bitmaps.append((bitmap, service, base))
  }
  mutating func failure(_ error: WireError, line: Span<UInt8>) { errors.append(error) }
  mutating func endOfReply(position: UInt64) { replies += 1 }

  /// Returns `7E8`, `18DAF110` or `10`; `nil` if the sender is unknown.
  static func name(_ ecu: ECUAddress) -> String? {
    ecu.kind == .unknown ? nil : hex(ecu.value, digits: ecu.digitCount)
  }

  static func name(_ code: TroubleCode) -> String {
    String(decoding: (0..<code.textLength).map { code.text[$0] }, as: UTF8.self)
  }

  static func digits(_ bytes: Span<UInt8>) -> String {
    bytes.indices.map { hex(UInt32(bytes[$0]), digits: 2) }.joined()
  }

  static func hex(_ value: UInt32, digits: Int) -> String {
    let text = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}

extension WireFindings {
  /// Reads the reply to one command. If the prompt is missing, the reply ends with the exchange.
  static func of(
    _ reply: String, to command: String? = nil, bus: BusProtocol = .auto, headers: HeaderMode = .auto,
    loaded: [SignalDefinition] = []
  ) -> WireFindings {
    var reader = ReplyReader()
    reader.state(bus, headers: headers)
    return of(reply, to: command, loaded: loaded, by: &reader)
  }

  /// Reads the reply with a reader that has read earlier exchanges.
  static func of(
    _ reply: String, to command: String?, loaded: [SignalDefinition] = [], by reader: inout ReplyReader
  ) -> WireFindings {
    var found = WireFindings()
    // U+00FC stands for the byte FC.
    let bytes = reply.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    if let command {
      let sent = Array(command.utf8)
      reader.sent(sent.span, loaded: loaded.span, into: &found)
    }
    reader.receive(bytes.span, loaded: loaded.span, into: &found)
    reader.finish(loaded: loaded.span, into: &found)
    return found
  }
}
