// Fuzzes the reader with any bytes.
//
// The last two bytes of an input choose how it is read (so that recordings serve as seeds unchanged): the first of them
// the bus and whether headers are stated, the second the sizes of the pieces. In between, 1E and 1F enclose a command
// that is sent before what follows.
//
// Whatever the bytes: nothing traps; pieces of any size give the same events as the whole; every short message stands in
// the input, digit for digit; where a legacy bus with headers is stated, its check holds.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFraming(_ start: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
  guard let start, size > 2 else { return 0 }
  // Long inputs take long and rarely say more: one in sixteen is read whole, for lines past the reader's capacity.
  let length = start[size - 1] & 0x3C == 0 ? size - 2 : min(size - 2, 160)
  let input = Array(UnsafeBufferPointer(start: start, count: length))
  let setting = Setting(start[size - 2])
  let whole = pair.whole.digest(of: input, setting, pieces: nil)
  let split = pair.split.digest(of: input, setting, pieces: start[size - 1])
  require(whole.value == split.value && whole.count == split.count, "a split changed what was read")
  whole.messages.verify(in: input, setting)
  return 0
}

/// Says what is broken; a precondition would be silent in a release build.
private func require(_ condition: Bool, _ what: StaticString) {
  if !condition { fatalError("\(what)") }
}

private struct Setting {
  var bus: BusProtocol
  var headers: HeaderMode
  /// The check of the bus where frames must have one: true the CRC, false the sum.
  var usesCRC: Bool?

  init(_ byte: UInt8) {
    bus = BusProtocol(rawValue: byte & 0x07) ?? .auto
    headers = HeaderMode(rawValue: byte >> 3 & 0x03) ?? .auto
    if headers == .on, bus.isLegacy { usesCRC = bus == .j1850pwm || bus == .j1850vpw }
  }
}

/// Two readers with the same past: making one takes longer than reading an input.
private struct Pair: ~Copyable {
  var whole = ReplyReader()
  var split = ReplyReader()
}
// libFuzzer calls from one thread.
nonisolated(unsafe) private var pair = Pair()
private let reset = Array("ATWS".utf8)

extension ReplyReader {
  /// Reads the input, in one piece or in pieces of sizes that follow from a byte.
  fileprivate mutating func digest(of input: [UInt8], _ setting: Setting, pieces: UInt8?) -> Digest {
    var digest = Digest()
    // Forgets the bus of inputs before.
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

/// All events in one number.
private struct Digest: ReplyHandler {
  var value: UInt64 = 0xCBF2_9CE4_8422_2325
  var count = 0
  var messages = Messages()

  mutating func add(_ number: UInt64) { value = (value ^ number) &* 0x0000_0100_0000_01B3 ^ value >> 29 }
  mutating func add(_ bytes: Span<UInt8>) {
    add(UInt64(bytes.count))
    for i in bytes.indices { add(UInt64(bytes[i])) }
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
    messages.note(payload)
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

/// The messages read, for a second opinion on the bytes they came from.
private struct Messages {
  private var payloads: [[UInt8]] = []

  mutating func note(_ payload: Span<UInt8>) {
    require(payload.count > 0 && payload.count <= 4_095, "a message of impossible length")
    if payloads.count < 64 { payloads.append(payload.indices.map { payload[$0] }) }
  }

  func verify(in input: [UInt8], _ setting: Setting) {
    guard !payloads.isEmpty else { return }
    let nibbles = Self.nibbles(of: input)
    for payload in payloads {
      // Longer ones were put together from frames, but for those of a legacy bus.
      guard payload.count <= 7 || setting.usesCRC != nil else { continue }
      let digits = payload.flatMap { [$0 >> 4, $0 & 0x0F] }
      require(Self.stands(digits, in: nibbles, setting.usesCRC), "a message that no bytes carry, or no check confirms")
    }
  }

  /// The digits of all lines; a line's end is FF, but between lines of one byte each, which adapters print for one.
  private static func nibbles(of input: [UInt8]) -> [UInt8] {
    var all: [UInt8] = []
    all.reserveCapacity(2 * input.count + 2)
    var lineStart = 0
    func close() {
      guard all.count > lineStart else { return }
      if all.count == lineStart + 2, lineStart >= 2 { all.remove(at: lineStart - 1) }
      all.append(0xFF)
      lineStart = all.count
    }
    var isCommand = false
    // NULs count nowhere; other noise behind a line does not, and in front of digits it is a word.
    var isBroken = false
    for byte in input {
      if byte == 0x1E {
        isCommand = true
        close()
      }
      if byte == 0x1F {
        isCommand = false
        continue
      }
      if isCommand { continue }
      let value = Hex.value(byte)
      if value < 16 {
        if isBroken, all.count > lineStart {
          all.append(0xFF)
          lineStart = all.count
        }
        isBroken = false
        all.append(value)
      } else if byte == 0x0D || byte == 0x0A || byte == 0x3E {
        close()
        isBroken = false
      } else if byte != 0x20, byte != 0x00 {
        isBroken = true
      }
    }
    close()
    return all
  }

  private static func stands(_ digits: [UInt8], in nibbles: [UInt8], _ usesCRC: Bool?) -> Bool {
    guard nibbles.count >= digits.count else { return false }
    for at in 0...(nibbles.count - digits.count) {
      guard nibbles[at] == digits[0], nibbles[at..<at + digits.count].elementsEqual(digits) else { continue }
      guard let usesCRC else { return true }
      let end = at + digits.count
      guard end + 2 <= nibbles.count, nibbles[end] < 16, nibbles[end + 1] < 16 else { continue }
      for header in [3, 4, 1, 2] where at >= 2 * header {
        let first = at - 2 * header
        guard nibbles[first..<end].allSatisfy({ $0 < 16 }) else { continue }
        let bytes = stride(from: first, to: end, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
        if check(bytes, usesCRC) == nibbles[end] << 4 | nibbles[end + 1] { return true }
      }
    }
    return false
  }

  /// Bit by bit, so that an error in the reader's table cannot cancel out.
  private static func check(_ bytes: [UInt8], _ usesCRC: Bool) -> UInt8 {
    guard usesCRC else { return bytes.reduce(0, &+) }
    var register: UInt8 = 0xFF
    for byte in bytes {
      register ^= byte
      for _ in 0..<8 { register = register & 0x80 == 0 ? register << 1 : register << 1 ^ 0x1D }
    }
    return ~register
  }
}
