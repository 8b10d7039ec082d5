import OBDWire

/// Records the results of a reader, one text for each event, so that tests can state expectations in one line each.
///
///     > 010C
///     message 7E8 410C1AF8
///     reading 7E8 010C rpm 1726
///     error truncated 7E8 at 12
///     end
struct ReplyRecorder: ReplyHandler {
  var events: [String] = []
  /// The events with text line, position and the bytes of a failed line. They must not depend on the division of the
  /// bytes.
  var exact: [String] = []

  mutating func request(_ command: Span<UInt8>, position: UInt64) {
    record("> \(Self.text(command))", "at \(position)")
  }
  mutating func message(_ payload: Span<UInt8>, origin: Origin) {
    record("message \(Self.name(origin.ecu)) \(Self.digits(payload))", Self.place(origin))
  }
  mutating func reading(_ reading: Reading) {
    var pid = Self.pid(reading.service, reading.identifier)
    if reading.service == 0x02 { pid += "/\(reading.frame)" }
    let name =
      reading.signal.isLoaded
      ? "loaded\(reading.signal.rawValue - SignalID.firstLoaded)" : "\(saeSignals[Int(reading.signal.rawValue)].name)"
    record(
      "reading \(Self.name(reading.origin.ecu)) \(pid) \(name) \(Self.number(reading.value))",
      Self.place(reading.origin))
  }
  mutating func text(_ text: TextReading, _ bytes: Span<UInt8>) {
    let content = text.kind == .calibrationVerificationNumber ? Self.digits(bytes) : Self.text(bytes)
    record(
      "text \(Self.name(text.origin.ecu)) \(Self.pid(text.service, text.identifier)) \(text.kind) \(text.index) \(content)",
      Self.place(text.origin))
  }
  mutating func troubleCodes(_ list: TroubleCodeList, _ codes: Span<TroubleCode>) {
    var words = ["codes", Self.name(list.origin.ecu), Self.hex(UInt32(list.service), 2)]
    if list.subfunction != 0 || list.kind == .freezeFrame { words.append("/" + Self.hex(UInt32(list.subfunction), 2)) }
    if list.group != 0 { words.append("group " + Self.hex(UInt32(list.group), 2)) }
    words.append("\(list.kind)")
    for i in codes.indices {
      let status = codes[i].hasFailureType ? ":" + Self.hex(UInt32(codes[i].status), 2) : ""
      words.append(String(decoding: (0..<codes[i].textLength).map { codes[i].text[$0] }, as: UTF8.self) + status)
    }
    record(words.joined(separator: " "), Self.place(list.origin))
  }
  mutating func testResult(_ result: TestResult) {
    let form =
      result.isLegacy
      ? "legacy test \(Self.hex(UInt32(result.testID), 2)) component \(Self.hex(UInt32(result.component), 2))"
      : "monitor \(Self.hex(UInt32(result.monitorID), 2)) test \(Self.hex(UInt32(result.testID), 2)) scaling \(Self.hex(UInt32(result.scalingID), 2))"
    let limits = [result.minimum, result.maximum].map { $0.map(Self.number) ?? "none" }
    record(
      "test \(Self.name(result.origin.ecu)) \(form) value \(Self.number(result.value)) limits \(limits[0]) \(limits[1])"
        + (result.isCompleted ? "" : " not completed"),
      Self.place(result.origin))
  }
  mutating func supported(_ bitmap: UInt32, service: UInt8, base: UInt16, origin: Origin) {
    record(
      "supported \(Self.name(origin.ecu)) \(Self.pid(service, base)) \(Self.hex(bitmap, 8))", Self.place(origin))
  }
  mutating func adapter(_ answer: AdapterAnswer, _ bytes: Span<UInt8>, origin: Origin) {
    record("adapter \(answer) \(Self.text(bytes))", Self.place(origin))
  }
  mutating func failure(_ error: WireError, line: Span<UInt8>) {
    var words = "error \(error.kind) \(Self.name(error.origin.ecu))"
    if error.kind == .negativeResponse {
      words += " \(Self.hex(UInt32(error.service), 2)) \(Self.hex(UInt32(error.responseCode), 2))"
    } else {
      words += " at \(error.offset)"
    }
    record(words, Self.place(error.origin) + " line \(Self.text(line))")
  }
  mutating func endOfReply(position: UInt64) { record("end", "at \(position)") }

  private mutating func record(_ event: String, _ detail: String) {
    events.append(event)
    exact.append("\(event) [\(detail)]")
  }
}

extension ReplyRecorder {
  /// Returns the results of a new reader.
  static func of(
    _ reply: String, to command: String? = nil, bus: BusProtocol = .auto, headers: HeaderMode = .auto,
    loaded: [SignalDefinition] = []
  ) -> ReplyRecorder {
    var reader = ReplyReader()
    reader.state(bus, headers: headers)
    var recorder = ReplyRecorder()
    recorder.read(reply, to: command, loaded: loaded, by: &reader)
    return recorder
  }

  /// Reads one exchange with a reader that may have read others before.
  mutating func read(
    _ reply: String, to command: String? = nil, loaded: [SignalDefinition] = [], by reader: inout ReplyReader
  ) {
    let bytes = Self.bytes(reply)
    if let command {
      let sent = Array(command.utf8)
      reader.sent(sent.span, loaded: loaded.span, into: &self)
    }
    reader.receive(bytes.span, loaded: loaded.span, into: &self)
  }

  /// Characters up to U+00FF represent the byte with that number.
  static func bytes(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }

  /// Returns the events of one kind, without the word for the kind.
  func events(_ kind: String) -> [String] {
    events.filter { $0.hasPrefix(kind + " ") }.map { String($0.dropFirst(kind.count + 1)) }
  }
  var messages: [String] { events("message") }
  var readings: [String] { events("reading") }
  var errors: [String] { events("error") }
  /// Everything that describes the car: readings, texts, codes, test results, bitmaps.
  var values: [String] {
    events.filter { event in
      ["reading ", "text ", "codes ", "test ", "supported "].contains { event.hasPrefix($0) }
    }
  }
  /// All events except commands, bytes of messages and prompts.
  var results: [String] {
    events.filter { !$0.hasPrefix("> ") && !$0.hasPrefix("message ") && $0 != "end" }
  }

  // MARK: Texts

  static func name(_ ecu: ECUAddress) -> String { ecu.kind == .unknown ? "-" : hex(ecu.value, ecu.digitCount) }
  static func pid(_ service: UInt8, _ identifier: UInt16) -> String {
    hex(UInt32(service), 2) + hex(UInt32(identifier), service == 0x22 ? 4 : 2)
  }
  static func place(_ origin: Origin) -> String { "line \(origin.line) at \(origin.position)" }
  static func text(_ bytes: Span<UInt8>) -> String {
    bytes.indices.map {
      bytes[$0] >= 0x20 && bytes[$0] < 0x7F
        ? String(Unicode.Scalar(bytes[$0])) : "\\x" + hex(UInt32(bytes[$0]), 2)
    }.joined()
  }
  static func digits(_ bytes: Span<UInt8>) -> String {
    bytes.indices.map { hex(UInt32(bytes[$0]), 2) }.joined()
  }
  static func hex(_ value: UInt32, _ digits: Int) -> String {
    let text = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
  /// Formats a number with at most six decimals, without trailing zeros.
  static func number(_ value: Double) -> String {
    let text = "\((value * 1e6).rounded() / 1e6)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

/// Frames in the form in which a car sends them, with the check byte of the bus.
enum Frame {
  /// Returns a frame such as `86 F1 10 …` or `48 6B 10 …` with its sum (ISO 9141-2, ISO 14230-2).
  static func sum(_ digits: String) -> String {
    let bytes = bytes(digits)
    return spaced(bytes + [bytes.reduce(0, &+)])
  }

  /// Returns a frame with the CRC of SAE J1850, which is computed bit by bit.
  static func crc(_ digits: String) -> String {
    let bytes = bytes(digits)
    var register: UInt8 = 0xFF
    for byte in bytes {
      register ^= byte
      for _ in 0..<8 { register = register & 0x80 == 0 ? register << 1 : register << 1 ^ 0x1D }
    }
    return spaced(bytes + [~register])
  }

  /// Returns an ISO-TP message of one sender, in frames of eight bytes that are filled with `padding`.
  static func isoTP(_ identifier: String, _ digits: String, padding: UInt8 = 0x00, spaces: Bool = true) -> [String] {
    let payload = bytes(digits)
    var frames: [[UInt8]] = []
    if payload.count <= 7 {
      frames = [[UInt8(payload.count)] + payload]
    } else {
      frames = [[0x10 | UInt8(payload.count >> 8), UInt8(truncatingIfNeeded: payload.count)] + payload.prefix(6)]
      var rest = payload.dropFirst(6)
      var index: UInt8 = 1
      while !rest.isEmpty {
        frames.append([0x20 | index] + rest.prefix(7))
        rest = rest.dropFirst(7)
        index = (index + 1) & 0x0F
      }
    }
    return frames.map { frame in
      let filled = frame + Array(repeating: padding, count: 8 - frame.count)
      return identifier + (spaces ? " " : "") + spaced(filled, spaces)
    }
  }

  static func bytes(_ digits: String) -> [UInt8] {
    let digits = Array(digits.filter { $0 != " " })
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(digits[$0...$0 + 1]), radix: 16)
    }
  }

  static func spaced(_ bytes: [UInt8], _ spaces: Bool = true) -> String {
    bytes.map { ReplyRecorder.hex(UInt32($0), 2) }.joined(separator: spaces ? " " : "")
  }
}

extension [String] {
  /// The lines as a reply of the adapter, followed by the prompt.
  var reply: String { joined(separator: " \r") + " \r\r>" }
}
