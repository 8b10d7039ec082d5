// Fuzzes the reader with any bytes.
//
// The last two bytes of an input choose how it is read, so that recordings are valid seeds: the first of them the bus
// and whether headers are configured, the second the sizes of the pieces. Before them, 1E and 1F enclose a command that
// is sent before the bytes after it.
//
// For any bytes: nothing traps; pieces of any size give the same events as the whole; every short message is in the
// input, digit for digit; on a legacy bus with headers, the checksum of each message is right.
//
// State that outlives a call is created once: the harness allocates nothing, because allocations reduce the number of
// executions.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFraming(_ start: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 2 else { return 0 }
  let input = UnsafeBufferPointer(start: start, count: size - 2)
  let setting = Setting(start[size - 2])
  messages.removeAll()
  let whole = pair.whole.digest(of: input, setting, pieces: nil)
  let split = pair.split.digest(of: input, setting, pieces: start[size - 1])
  require(whole.value == split.value && whole.count == split.count, "a split changed what was read")
  messages.verify(in: input, setting)
  return 0
}

private struct Setting {
  var bus: BusProtocol
  var headers: HeaderMode
  /// The kind of checksum that frames must have on this bus: `true` for the CRC, `false` for the sum, `nil` for none.
  var usesCRC: Bool?

  init(_ byte: UInt8) {
    bus = BusProtocol(rawValue: byte & 0x07) ?? .auto
    headers = HeaderMode(rawValue: byte >> 3 & 0x03) ?? .auto
    if headers == .on, bus.isLegacy { usesCRC = bus == .j1850pwm || bus == .j1850vpw }
  }
}

/// Two readers with the same past. Creating a reader takes longer than reading an input.
private struct Pair: ~Copyable {
  var whole = ReplyReader()
  var split = ReplyReader()
}
// libFuzzer calls from one thread.
nonisolated(unsafe) private var pair = Pair()
private let reset: InlineArray<4, UInt8> = [0x41, 0x54, 0x57, 0x53]

extension ReplyReader {
  /// Reads the input in one piece, or in pieces whose sizes a byte determines, and returns the digest of the events.
  fileprivate mutating func digest(of input: UnsafeBufferPointer<UInt8>, _ setting: Setting, pieces: UInt8?) -> Digest {
    var digest = Digest(notesMessages: pieces == nil)
    // After a warm start, the reader forgets the bus of earlier inputs.
    sent(reset.span, into: &digest)
    finish(into: &digest)
    restartLines()
    state(setting.bus, headers: setting.headers)
    var state = UInt32(pieces ?? 0) &* 2_654_435_761 | 1
    var at = 0
    while at < input.count {
      if input[at] == 0x1E {
        var end = at + 1
        while end < input.count, input[end] != 0x1F { end += 1 }
        sent(input.span.extracting((at + 1)..<end), into: &digest)
        at = min(end + 1, input.count)
        continue
      }
      var end = at
      while end < input.count, input[end] != 0x1E { end += 1 }
      while at < end {
        var length = end - at
        if let pieces {
          state = state &* 1_664_525 &+ 1_013_904_223
          length = min(length, 1 + Int(state >> 16) % (pieces & 1 == 0 ? 4 : 90))
        }
        receive(input.span.extracting(at..<at + length), into: &digest)
        at += length
      }
    }
    finish(into: &digest)
    return digest
  }
}

/// Combines all events into one number.
private struct Digest: ReplyHandler {
  /// Whether messages are stored. Those of one of the two readings are sufficient, because the other has the same.
  let notesMessages: Bool
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325
  private(set) var count = 0

  init(notesMessages: Bool) { self.notesMessages = notesMessages }

  mutating func add(_ number: UInt64) { value = (value ^ number) &* 0x0000_0100_0000_01B3 ^ value >> 29 }
  /// Adds bytes, eight at a time.
  mutating func add(_ bytes: Span<UInt8>) {
    add(UInt64(bytes.count))
    bytes.withUnsafeBytes { raw in
      var at = 0
      while at + 8 <= raw.count {
        add(raw.loadUnaligned(fromByteOffset: at, as: UInt64.self))
        at += 8
      }
      while at < raw.count {
        add(UInt64(raw[at]))
        at += 1
      }
    }
  }
  mutating func event(_ kind: UInt64, _ origin: Origin) {
    count += 1
    add(kind)
    add(UInt64(origin.ecu.sortKey))
    add(UInt64(origin.line))
    add(origin.position)
  }

  mutating func request(_ command: Span<UInt8>, position: UInt64) {
    event(1, Origin(ecu: .unknown, line: 0, position: position))
    add(command)
  }
  mutating func message(_ payload: Span<UInt8>, origin: Origin) {
    event(2, origin)
    add(payload)
    require(payload.count > 0 && payload.count <= 4_095, "a message of impossible length")
    if notesMessages { messages.append(payload) }
  }
  mutating func reading(_ reading: Reading) {
    event(3, reading.origin)
    add(UInt64(reading.signal.rawValue) << 32 | UInt64(reading.identifier) << 16 | UInt64(reading.service))
    add(reading.value.bitPattern)
    require(reading.value.isFinite, "a reading that is no number")
  }
  mutating func text(_ text: TextReading, _ bytes: Span<UInt8>) {
    event(4, text.origin)
    add(UInt64(text.kind.rawValue) << 8 | UInt64(text.index))
    add(bytes)
  }
  mutating func troubleCodes(_ list: TroubleCodeList, _ codes: Span<TroubleCode>) {
    event(5, list.origin)
    add(UInt64(list.kind.rawValue))
    for i in codes.indices { add(UInt64(codes[i].code) << 8 | UInt64(codes[i].failureType)) }
  }
  mutating func testResult(_ result: TestResult) {
    event(6, result.origin)
    add(result.value.bitPattern)
  }
  mutating func supported(_ bitmap: UInt32, service: UInt8, base: UInt16, origin: Origin) {
    event(7, origin)
    add(UInt64(bitmap) << 16 | UInt64(base))
  }
  mutating func adapter(_ answer: AdapterAnswer, _ bytes: Span<UInt8>, origin: Origin) {
    event(8, origin)
    add(bytes)
  }
  mutating func failure(_ error: WireError, line: Span<UInt8>) {
    event(9, error.origin)
    add(UInt64(error.kind.rawValue) << 32 | UInt64(error.offset) << 16 | UInt64(error.responseCode))
    add(line)
    require(Int(error.offset) <= line.count, "an error points behind its line")
    require(line.count <= ReplyReader.lineCapacity, "a line longer than any that is read")
  }
  mutating func endOfReply(position: UInt64) { event(10, Origin(ecu: .unknown, line: 0, position: position)) }
}

nonisolated(unsafe) private var messages = Messages()

/// The messages that were read, for an independent comparison with the input.
private struct Messages: ~Copyable {
  private static let most = 64
  private static let capacity = most * 4_095
  /// The payloads, one after another.
  private let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
  /// The index at which each payload ends.
  private var ends = InlineArray<64, Int>(repeating: 0)
  private var count = 0
  private var digits = Digits()

  mutating func removeAll() { count = 0 }

  mutating func append(_ payload: Span<UInt8>) {
    guard count < Self.most else { return }
    let first = count == 0 ? 0 : ends[count - 1]
    payload.withUnsafeBufferPointer { (bytes + first).update(from: $0.baseAddress!, count: payload.count) }
    ends[count] = first + payload.count
    count += 1
  }

  mutating func verify(in input: UnsafeBufferPointer<UInt8>, _ setting: Setting) {
    guard count > 0 else { return }
    digits.read(input)
    var first = 0
    for index in 0..<count {
      let payload = UnsafeBufferPointer(start: bytes + first, count: ends[index] - first)
      first = ends[index]
      // Longer messages are reassembled from frames, except on a legacy bus. Numbered segments begin with six bytes.
      guard payload.count <= (setting.headers == .on ? 7 : 6) || setting.usesCRC != nil else { continue }
      require(digits.hold(payload, setting.usesCRC), "a message that no bytes carry, or no check confirms")
    }
  }
}

/// The hexadecimal digits of all lines of an input. FF marks the end of a line.
private struct Digits: ~Copyable {
  private static let capacity = 1 << 16
  private let all = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
  private var count = 0
  private var lineStart = 0

  mutating func read(_ input: UnsafeBufferPointer<UInt8>) {
    count = 0
    lineStart = 0
    var isCommand = false
    // NULs are ignored. Other noise is ignored after the digits of a line; before them, it makes the line a text.
    var isBroken = false
    for byte in input where count < Self.capacity - 2 {
      if byte == 0x1E {
        isCommand = true
        endLine()
      }
      if byte == 0x1F {
        isCommand = false
        continue
      }
      if isCommand { continue }
      let value = Self.value(byte)
      if value < 16 {
        if isBroken { endLine(mayJoin: false) }
        isBroken = false
        add(value)
      } else if byte == 0x0D || byte == 0x0A || byte == 0x3E {
        endLine()
        isBroken = false
      } else if byte != 0x20, byte != 0x00 {
        isBroken = true
      }
    }
    endLine()
  }

  private mutating func add(_ value: UInt8) {
    all[count] = value
    count += 1
  }

  /// Ends a line. A line of one byte continues the line before it, because some adapters print each byte on a line of
  /// its own.
  private mutating func endLine(mayJoin: Bool = true) {
    if count == lineStart { return }
    if mayJoin, count - lineStart == 2, lineStart > 0 {
      all[lineStart - 1] = all[lineStart]
      all[lineStart] = all[lineStart + 1]
      count -= 1
    }
    add(0xFF)
    lineStart = count
  }

  private static func value(_ byte: UInt8) -> UInt8 {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: 0xFF
    }
  }

  /// Whether a line contains the payload; on a legacy bus, with a header before it and the right checksum after it.
  func hold(_ payload: UnsafeBufferPointer<UInt8>, _ usesCRC: Bool?) -> Bool {
    var at = 0
    while at + 2 * payload.count <= count {
      if stands(payload, at: at), usesCRC.map({ isConfirmed(from: at, to: at + 2 * payload.count, $0) }) ?? true {
        return true
      }
      at += 1
    }
    return false
  }

  private func stands(_ payload: UnsafeBufferPointer<UInt8>, at first: Int) -> Bool {
    var at = first
    for byte in payload {
      guard all[at] == byte >> 4, all[at + 1] == byte & 0x0F else { return false }
      at += 2
    }
    return true
  }

  /// Whether the checksum after the bytes is right for a header of one to four bytes before them.
  private func isConfirmed(from first: Int, to end: Int, _ usesCRC: Bool) -> Bool {
    guard end + 2 <= count, all[end] < 16, all[end + 1] < 16 else { return false }
    let stated = all[end] << 4 | all[end + 1]
    for header in 1...4 where first >= 2 * header {
      let start = first - 2 * header
      // No line ends within the header.
      if all[start] > 15 || all[start + 1] > 15 { return false }
      if check(from: start, to: end, usesCRC) == stated { return true }
    }
    return false
  }

  /// Computes a checksum bit by bit, because an error in the reader's table could not be found with the same table.
  private func check(from first: Int, to end: Int, _ usesCRC: Bool) -> UInt8 {
    var register: UInt8 = usesCRC ? 0xFF : 0
    for at in stride(from: first, to: end, by: 2) {
      let byte = all[at] << 4 | all[at + 1]
      guard usesCRC else {
        register &+= byte
        continue
      }
      register ^= byte
      for _ in 0..<8 { register = register & 0x80 == 0 ? register << 1 : register << 1 ^ 0x1D }
    }
    return usesCRC ? ~register : register
  }
}
