// Fuzzes reassembly and decoding with replies that are right, or wrong in one known place.
//
// The bytes of an input choose a bus, one to four ECUs, their messages (any service), how their frames interleave, one
// fault or none, a question or none, and up to eight definitions of loaded signals. What must come out follows from that:
//
// - without a fault every message comes out, byte for byte, and once;
// - a message whose frame is missing, doubled or out of turn never does;
// - a legacy frame with a wrong check gives neither message nor reading;
// - readings answer the question, and a loaded signal's value is what its bits say, taken out one by one.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDecode(_ start: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
  guard let start, size > 4 else { return 0 }
  var source = Source(UnsafeBufferPointer(start: start, count: size))
  let bus = BusProtocol(rawValue: 1 + source.next() % 6) ?? .can11
  var exchange = Exchange(bus: bus)
  if source.next() & 1 == 1 { exchange.definitions = source.definitions() }
  if bus.isCAN { exchange.buildCAN(from: &source) } else { exchange.buildLegacy(from: &source) }
  if source.next() & 3 == 0 { exchange.ask() }
  exchange.run()
  return 0
}

/// Says what is broken; a precondition would be silent in a release build.
private func require(_ condition: Bool, _ what: StaticString) {
  if !condition { fatalError("\(what)") }
}

/// The input, byte by byte; behind its end a sequence that follows from its last byte, so that short inputs build much.
private struct Source {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var at = 0
  private var state: UInt32

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    state = UInt32(bytes[bytes.count - 1]) &* 2_654_435_761 | 1
  }

  mutating func next() -> UInt8 {
    if at < bytes.count {
      at += 1
      return bytes[at - 1]
    }
    state = state &* 1_664_525 &+ 1_013_904_223
    return UInt8(truncatingIfNeeded: state >> 24)
  }

  /// A message: a service's answer, mostly of one that is decoded, and any bytes behind.
  mutating func payload(upTo most: Int) -> [UInt8] {
    let services: [UInt8] = [
      0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x49, 0x4A, 0x59, 0x61, 0x62, 0x62, 0x7F, 0x50, 0x41,
    ]
    var payload = [services[Int(next() & 15)]]
    // Mostly short: long messages take long and rarely say more.
    let choice = next()
    let length =
      switch choice {
      case 0..<0xF0: 1 + Int(choice & 0x0F) % most
      case 0xF0..<0xFD: 1 + Int(next() & 0x7F) % most
      default: next() < 0xF0 ? 1 + Int(next()) % most : 1 + (Int(next()) << 4 | Int(next() & 15)) % most
      }
    while payload.count < length { payload.append(next()) }
    // Identifiers that have a meaning are found sooner.
    if payload.count > 2, payload[0] == 0x62, payload[1] & 1 == 0 {
      payload[1] = [0xF4, 0xF6, 0xF8, 0x40][Int(payload[1] >> 6)]
    }
    return payload
  }

  /// Sorted by service and identifier, as the reader wants them.
  mutating func definitions() -> [SignalDefinition] {
    var all: [SignalDefinition] = []
    for _ in 0..<(1 + next() & 7) {
      let service: UInt8 = [0x21, 0x22, 0x01][Int(next()) % 3]
      let identifier = service == 0x22 ? UInt16(0x4000) | UInt16(next() & 3) : UInt16(next() & 0x1F)
      all.append(
        SignalDefinition(
          service: service, identifier: identifier, bitOffset: UInt16(next()) << (next() & 3),
          bitLength: 1 + next() & 63,
          encoding: SignalDefinition.Encoding(rawValue: next() & 3) ?? .unsigned))
    }
    return all.sorted { ($0.service, $0.identifier, $0.bitOffset) < ($1.service, $1.identifier, $1.bitOffset) }
  }
}

// libFuzzer calls from one thread; making a reader takes longer than reading a reply.
nonisolated(unsafe) private var reader = ReplyReader()
private let reset = Array("ATWS".utf8)

/// A reply, and what must be found in it.
private struct Exchange {
  let bus: BusProtocol
  var definitions: [SignalDefinition] = []
  var text: [UInt8] = []
  var question: [UInt8] = []
  /// Messages that must come out.
  var whole: [(ecu: ECUAddress, payload: [UInt8])] = []
  /// Senders whose message was broken, and must not.
  var broken: [ECUAddress] = []

  init(bus: BusProtocol) {
    self.bus = bus
    text.reserveCapacity(1_024)
  }

  mutating func line(_ bytes: [UInt8], spaces: Bool, identifier: UInt32? = nil) {
    func digit(_ value: UInt32) { text.append(Hex.digit(UInt8(truncatingIfNeeded: value & 0xF))) }
    if let identifier {
      for shift in [8, 4, 0] { digit(identifier >> UInt32(shift)) }
      if spaces { text.append(0x20) }
    }
    for byte in bytes {
      digit(UInt32(byte >> 4))
      digit(UInt32(byte))
      if spaces { text.append(0x20) }
    }
    text.append(0x0D)
  }

  // MARK: CAN

  mutating func buildCAN(from source: inout Source) {
    let style = source.next()
    let spaces = style & 1 == 0
    let padding: [UInt8] = [0x00, 0x55, 0xAA, 0xCC]
    let count = [1, 2, 2, 4][Int(style >> 1 & 3)]
    let fault = style >> 3 & 3
    let faulty = Int(style >> 5) % count
    var queues: [[[UInt8]]] = []
    for index in 0..<count {
      let payload = source.payload(upTo: 4_095)
      let ecu = bus == .can11 ? ECUAddress.can11(0x7E8 + UInt32(index)) : .can29(0x18DA_F110 + UInt32(index))
      var frames = Self.frames(payload, padding: style & 0x40 == 0 ? padding[index] : nil)
      if index == faulty, fault > 0, frames.count > 1 {
        let at = 1 + Int(source.next()) % (frames.count - 1)
        switch fault {
        case 1: frames.remove(at: at)
        // The last one twice: the message was whole before.
        case 2 where at + 1 < frames.count: frames.insert(frames[at], at: at)
        default: if at + 1 < frames.count { frames.swapAt(at, at + 1) } else { frames.remove(at: at) }
        }
        broken.append(ecu)
      } else {
        whole.append((ecu, payload))
      }
      queues.append(frames)
    }
    while queues.contains(where: { !$0.isEmpty }) {
      var index = Int(source.next()) % count
      while queues[index].isEmpty { index = (index + 1) % count }
      let frame = queues[index].removeFirst()
      if bus == .can11 {
        line(frame, spaces: spaces, identifier: 0x7E8 + UInt32(index))
      } else {
        line([0x18, 0xDA, 0xF1, 0x10 + UInt8(index)] + frame, spaces: spaces)
      }
    }
  }

  private static func frames(_ payload: [UInt8], padding: UInt8?) -> [[UInt8]] {
    var frames: [[UInt8]] = []
    if payload.count <= 7 {
      frames.append([UInt8(payload.count)] + payload)
    } else {
      frames.append([0x10 | UInt8(payload.count >> 8), UInt8(truncatingIfNeeded: payload.count)] + payload[0..<6])
      var at = 6
      var index: UInt8 = 1
      while at < payload.count {
        let end = min(at + 7, payload.count)
        frames.append([0x20 | index] + payload[at..<end])
        index = (index + 1) & 0x0F
        at = end
      }
    }
    if let padding {
      let last = frames.count - 1
      while frames[last].count < 8 { frames[last].append(padding) }
    }
    return frames
  }

  // MARK: Legacy buses

  mutating func buildLegacy(from source: inout Source) {
    let style = source.next()
    var used: [[UInt8]] = []
    for _ in 0..<(1 + style & 3) {
      let isLong = bus == .kwp && style & 0x40 != 0
      let payload = source.payload(upTo: isLong ? 255 : 7)
      let sender = 0x10 + source.next() & 3
      var frame = header(sender, payload.count, source.next()) + payload
      frame.append(Self.check(frame, bus))
      let fault = source.next()
      if fault & 3 == 0 {
        let at = Int(source.next()) % frame.count
        frame[at] ^= max(1, source.next())
        // The rest of a line may make frames of its own, by chance: those are right.
        guard !Self.isValid(frame, bus) else { continue }
      } else {
        guard !used.contains([sender] + payload) else { continue }
        used.append([sender] + payload)
        whole.append((.legacy(sender), payload))
      }
      line(frame, spaces: style & 0x80 == 0)
    }
  }

  private func header(_ sender: UInt8, _ length: Int, _ choice: UInt8) -> [UInt8] {
    switch bus {
    case .kwp where length > 63 || choice & 1 == 1: [0x80, 0xF1, sender, UInt8(length)]
    case .kwp: [0x80 | UInt8(length), 0xF1, sender]
    case .j1850pwm: [0x41, 0x6B, sender]
    default: [0x48, 0x6B, sender]
    }
  }

  private static func check(_ bytes: [UInt8], _ bus: BusProtocol) -> UInt8 {
    guard bus == .j1850pwm || bus == .j1850vpw else { return bytes.reduce(0, &+) }
    var register: UInt8 = 0xFF
    for byte in bytes {
      register ^= byte
      for _ in 0..<8 { register = register & 0x80 == 0 ? register << 1 : register << 1 ^ 0x1D }
    }
    return ~register
  }

  /// Whether a line is nothing but frames whose checks hold, however damaged.
  private static func isValid(_ line: [UInt8], _ bus: BusProtocol) -> Bool {
    guard bus == .kwp, !((line[0] == 0x48 || line[0] == 0x41) && line[1] == 0x6B) else {
      return check(Array(line.dropLast()), bus) == line[line.count - 1]
    }
    var rest = line[...]
    while let format = rest.first {
      var header = format & 0x80 == 0 ? 1 : 3
      var length = Int(format & 0x3F)
      if length == 0 {
        guard rest.count > header else { return false }
        length = Int(rest[rest.startIndex + header])
        header += 1
      }
      let size = header + length
      guard length > 0, rest.count > size, rest.prefix(size).reduce(0, &+) == rest[rest.startIndex + size] else {
        return false
      }
      rest = rest.dropFirst(size + 1)
    }
    return true
  }

  // MARK: Question and answer

  /// Asks what the first message answers, so that the others are unexpected.
  mutating func ask() {
    guard let payload = whole.first?.payload, payload[0] != 0x7F, payload.count > 2 else { return }
    let count = payload[0] == 0x62 ? 3 : [0x41, 0x61, 0x46, 0x49].contains(payload[0]) ? 2 : 1
    for byte in [payload[0] - 0x40] + payload[1..<count] {
      question.append(Hex.digit(byte >> 4))
      question.append(Hex.digit(byte))
    }
  }

  func run() {
    var found = Findings(exchange: self)
    reader.sent(reset.span, into: &found)
    reader.finish(into: &found)
    reader.state(bus, headers: .on)
    found.isListening = true
    if !question.isEmpty { reader.sent(question.span, loaded: definitions.span, into: &found) }
    reader.receive(text.span, loaded: definitions.span, into: &found)
    reader.finish(loaded: definitions.span, into: &found)
    found.finish()
  }
}

private struct Findings: ReplyHandler {
  let exchange: Exchange
  var isListening = false
  private var messages: [(ecu: ECUAddress, payload: [UInt8])] = []
  private var errors = 0

  init(exchange: Exchange) { self.exchange = exchange }

  mutating func message(_ payload: Span<UInt8>, origin: Origin) {
    guard isListening else { return }
    let bytes = payload.indices.map { payload[$0] }
    require(!exchange.broken.contains(origin.ecu), "a message whose frames were broken")
    require(
      exchange.whole.contains { $0.ecu == origin.ecu && $0.payload == bytes }, "a message that nobody sent")
    messages.append((origin.ecu, bytes))
  }

  mutating func reading(_ reading: Reading) {
    guard isListening else { return }
    require(reading.value.isFinite, "a reading that is no number")
    guard let message = messages.last(where: { $0.ecu == reading.origin.ecu }) else {
      return require(false, "a reading without a message")
    }
    let payload = message.payload
    // Service 09's counters may come from gathered lines, at the prompt.
    if reading.service != 0x09 { require(payload[0] == reading.service + 0x40, "a reading of another service") }
    if exchange.question.count >= 2 {
      let asked = Hex.value(exchange.question[0]) << 4 | Hex.value(exchange.question[1])
      require(reading.service == asked, "a reading that nobody asked for")
    }
    if reading.signal.isLoaded { verify(reading, payload) }
  }

  mutating func failure(_ error: WireError, line: Span<UInt8>) {
    require(Int(error.offset) <= line.count, "an error points behind its line")
    errors += 1
  }

  func finish() {
    for (ecu, payload) in exchange.whole {
      require(
        messages.contains { $0.ecu == ecu && $0.payload == payload }, "a message was lost")
    }
    require(messages.count <= exchange.whole.count, "a message came twice")
    if !exchange.broken.isEmpty { require(errors > 0, "a broken message was no error") }
  }

  /// The value by its bits, one by one.
  private func verify(_ reading: Reading, _ payload: [UInt8]) {
    let row = exchange.definitions[Int(reading.signal.rawValue - SignalID.firstLoaded)]
    require(row.service == reading.service && row.identifier == reading.identifier, "a signal of another identifier")
    // Only where the message has one identifier is it known here where its data begins.
    guard row.service != 0x01 else { return }
    let data = Array(payload[(row.service == 0x22 ? 3 : 2)...])
    let first = Int(row.bitOffset)
    let length = Int(row.bitLength)
    require(first + length <= data.count * 8, "a signal behind the end of its data")
    var raw: UInt64 = 0
    let isLittleEndian = row.encoding == .unsignedLittleEndian || row.encoding == .signedLittleEndian
    if isLittleEndian, first % 8 == 0, length % 8 == 0 {
      for byte in data[first / 8..<(first + length) / 8].reversed() { raw = raw << 8 | UInt64(byte) }
    } else {
      for bit in first..<first + length { raw = raw << 1 | UInt64(data[bit / 8] >> UInt8(7 - bit % 8) & 1) }
    }
    let isSigned = row.encoding == .signed || row.encoding == .signedLittleEndian
    var value = Double(raw)
    if isSigned, raw >> UInt64(length - 1) == 1 {
      value = Double(Int64(bitPattern: length == 64 ? raw : raw | ~0 << UInt64(length)))
    }
    require(reading.value == value, "a value that is not what its bits say")
  }
}
