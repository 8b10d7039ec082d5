// Fuzzes reassembly and decoding with replies that are right, or wrong in one known place.
//
// The bytes of an input select a bus, one to four ECUs, their messages (any service), the order in which their frames
// alternate, one fault or none, a request or none, and up to eight definitions of loaded signals. The expected results
// follow from that:
//
// - without a fault, every message is found once, byte for byte;
// - a message of which a frame is missing, doubled or out of order is never found;
// - a legacy frame with a wrong checksum gives neither a message nor a reading;
// - readings answer the request, and the value of a loaded signal is that of its bits, which are read one by one.
//
// State that outlives a call is created once: the harness allocates nothing, because allocations reduce the number of
// executions.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDecode(_ start: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 4 else { return 0 }
  var source = Source(UnsafeBufferPointer(start: start, count: size))
  exchange.begin(BusProtocol(rawValue: 1 + source.next() % 6) ?? .can11)
  if source.next() & 1 == 1 { exchange.define(from: &source) }
  if exchange.bus.isCAN { exchange.buildCAN(from: &source) } else { exchange.buildLegacy(from: &source) }
  if source.next() & 3 == 0 { exchange.selectRequest() }
  exchange.run()
  return 0
}

// libFuzzer calls from one thread. Creating a reader takes longer than reading a reply.
nonisolated(unsafe) private var reader = ReplyReader()
nonisolated(unsafe) private let exchange = Exchange()
private let reset: InlineArray<4, UInt8> = [0x41, 0x54, 0x57, 0x53]
/// Services whose answers are decoded, and some whose answers are not.
let services: InlineArray<16, UInt8> = [
  0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x49, 0x4A, 0x59, 0x61, 0x62, 0x62, 0x7F, 0x50, 0x41,
]

/// A reply, the messages that must be found in it, and those that were found.
final class Exchange {
  var bus = BusProtocol.can11
  var definitions = UnsafeMutableBufferPointer<SignalDefinition>.allocate(capacity: 8)
  var definitionCount = 0
  var payloads = Bytes(capacity: 4 * 4_096)
  var text = Bytes(capacity: 1 << 17)
  var question = Bytes(capacity: 8)
  var frame = Bytes(capacity: 512)

  var messages = InlineArray<4, Message>(repeating: Message())
  var messageCount = 0
  var isListening = false
  var found = 0
  var errors = 0

  func begin(_ bus: BusProtocol) {
    self.bus = bus
    definitionCount = 0
    payloads.removeAll()
    text.removeAll()
    question.removeAll()
    messageCount = 0
    isListening = false
    found = 0
    errors = 0
  }

  /// Creates definitions of signals, sorted by service and identifier, as the reader needs them.
  func define(from source: inout Source) {
    for _ in 0..<(1 + source.next() & 7) {
      let choice = source.next() % 3
      let service: UInt8 = choice == 0 ? 0x21 : choice == 1 ? 0x22 : 0x01
      let identifier = service == 0x22 ? 0x4000 | UInt16(source.next() & 3) : UInt16(source.next() & 0x1F)
      let new = SignalDefinition(
        service: service, identifier: identifier, bitOffset: UInt16(source.next()) << (source.next() & 3),
        bitLength: 1 + source.next() & 63,
        encoding: SignalDefinition.Encoding(rawValue: source.next() & 3) ?? .unsigned)
      var at = definitionCount
      while at > 0, Self.order(new) < Self.order(definitions[at - 1]) {
        (definitions.baseAddress! + at).initialize(to: definitions[at - 1])
        at -= 1
      }
      (definitions.baseAddress! + at).initialize(to: new)
      definitionCount += 1
    }
  }

  private static func order(_ row: SignalDefinition) -> UInt64 {
    UInt64(row.service) << 32 | UInt64(row.identifier) << 16 | UInt64(row.bitOffset)
  }

  /// Returns a message: the answer of a service, which is usually one that is decoded, with any bytes after it.
  private func payload(upTo most: Int, from source: inout Source) -> UnsafeBufferPointer<UInt8> {
    let first = payloads.count
    payloads.append(services.span[Int(source.next() & 15)])
    // Most messages are short. Long ones take more time and rarely find more.
    let choice = source.next()
    let length =
      switch choice {
      case 0..<0xF0: 1 + Int(choice & 0x0F) % most
      case 0xF0..<0xFD: 1 + Int(source.next() & 0x7F) % most
      default:
        source.next() < 0xF0
          ? 1 + Int(source.next()) % most : 1 + (Int(source.next()) << 4 | Int(source.next() & 15)) % most
      }
    while payloads.count - first < length { payloads.append(source.next()) }
    let payload = payloads.from(first)
    // Identifiers with a meaning are found sooner if they are created on purpose.
    if payload.count > 2, payload[0] == 0x62, payload[1] & 1 == 0 {
      let choice = payload[1] >> 6
      payload[1] = choice == 0 ? 0xF4 : choice == 1 ? 0xF6 : choice == 2 ? 0xF8 : 0x40
    }
    return UnsafeBufferPointer(payload)
  }

  private func add(_ message: Message) {
    messages[messageCount] = message
    messageCount += 1
  }

  // MARK: CAN

  func buildCAN(from source: inout Source) {
    let style = source.next()
    let spaces = style & 1 == 0
    let count = style >> 1 & 3 == 3 ? 4 : style >> 1 & 3 == 0 ? 1 : 2
    let fault = style >> 3 & 3
    let faulty = Int(style >> 5) % count
    // The frames of each ECU in the order in which they are sent: their number, and the place of the fault.
    var plans = InlineArray<4, Frames>(repeating: Frames())
    for index in 0..<count {
      let ecu = bus == .can11 ? ECUAddress.can11(0x7E8 + UInt32(index)) : .can29(0x18DA_F110 + UInt32(index))
      var message = Message(ecu: ecu, bytes: payload(upTo: 4_095, from: &source))
      var plan = Frames(of: message.bytes.count)
      if style & 0x40 == 0 { plan.padding = index == 0 ? 0x00 : index == 1 ? 0x55 : index == 2 ? 0xAA : 0xCC }
      if index == faulty, fault > 0, plan.count > 1 {
        plan.breakOrder(fault, at: 1 + Int(source.next()) % (plan.count - 1))
        message.isBroken = true
      }
      plans[index] = plan
      add(message)
    }
    var left = 0
    for index in 0..<count { left += plans[index].count }
    while left > 0 {
      var index = Int(source.next()) % count
      while plans[index].sent == plans[index].count { index = (index + 1) % count }
      let number = plans[index].next()
      sendCAN(number, of: messages[index].bytes, from: index, plans[index], spaces: spaces)
      left -= 1
    }
  }

  /// The frames of a message that are sent, and their order.
  private struct Frames {
    private enum Fault { case none, missing, doubled, swapped }
    private var fault = Fault.none
    private var at = 0
    private(set) var count = 0
    private(set) var sent = 0
    /// The number of the last frame without a fault.
    private(set) var last = 0
    var padding: UInt8?

    init() {}
    init(of length: Int) {
      count = length <= 7 ? 1 : 1 + length / 7
      last = count - 1
    }

    mutating func breakOrder(_ kind: UInt8, at frame: Int) {
      at = frame
      let isLast = frame + 1 == count
      // If the last frame is sent twice, the message was already complete; and it cannot be swapped with a later one.
      fault = kind == 1 || isLast ? .missing : kind == 2 ? .doubled : .swapped
      if fault == .missing { count -= 1 }
      if fault == .doubled { count += 1 }
    }

    /// The number of the frame that is sent next.
    mutating func next() -> Int {
      let turn = sent
      sent += 1
      switch fault {
      case .none: return turn
      case .missing: return turn < at ? turn : turn + 1
      case .doubled: return turn <= at ? turn : turn - 1
      case .swapped: return turn == at ? at + 1 : turn == at + 1 ? at : turn
      }
    }
  }

  private func sendCAN(
    _ number: Int, of message: UnsafeBufferPointer<UInt8>, from index: Int, _ plan: Frames, spaces: Bool
  ) {
    func put(_ byte: UInt8) {
      text.append(hex: byte)
      if spaces { text.append(0x20) }
    }
    if bus == .can11 {
      text.append(0x37)
      text.append(0x45)
      text.append(index < 2 ? 0x38 + UInt8(index) : 0x3F + UInt8(index))
      if spaces { text.append(0x20) }
    } else {
      put(0x18)
      put(0xDA)
      put(0xF1)
      put(0x10 + UInt8(index))
    }
    var first = 0
    var end = message.count
    var length = 1
    if message.count <= 7 {
      put(UInt8(message.count))
    } else if number == 0 {
      put(0x10 | UInt8(message.count >> 8))
      put(UInt8(truncatingIfNeeded: message.count))
      end = 6
      length = 2
    } else {
      put(0x20 | UInt8(number & 0x0F))
      first = 6 + (number - 1) * 7
      end = min(first + 7, message.count)
    }
    for at in first..<end { put(message[at]) }
    length += end - first
    if number == plan.last, let padding = plan.padding { for _ in 0..<max(0, 8 - length) { put(padding) } }
    text.append(0x0D)
  }

  // MARK: Legacy buses

  func buildLegacy(from source: inout Source) {
    let style = source.next()
    for _ in 0..<(1 + style & 3) {
      let isLong = bus == .kwp && style & 0x40 != 0
      let payload = payload(upTo: isLong ? 255 : 7, from: &source)
      let sender = 0x10 + source.next() & 3
      frame.removeAll()
      putHeader(sender, payload.count, source.next())
      for byte in payload { frame.append(byte) }
      frame.append(Self.check(frame.all, bus))
      let fault = source.next()
      if fault & 3 == 0 {
        let at = Int(source.next()) % frame.count
        frame.from(0)[at] ^= max(1, source.next())
        // By chance, the rest of a line may consist of valid frames.
        if Self.isValid(frame.all, bus) { continue }
      } else {
        if message(.legacy(sender), equal: payload) != nil { continue }
        add(Message(ecu: .legacy(sender), bytes: payload))
      }
      for byte in frame.all {
        text.append(hex: byte)
        if style & 0x80 == 0 { text.append(0x20) }
      }
      text.append(0x0D)
    }
  }

  private func putHeader(_ sender: UInt8, _ length: Int, _ choice: UInt8) {
    let hasLength = bus == .kwp && (length > 63 || choice & 1 == 1)
    switch bus {
    case .kwp: frame.append(hasLength ? 0x80 : 0x80 | UInt8(length))
    case .j1850pwm: frame.append(0x41)
    default: frame.append(0x48)
    }
    frame.append(bus == .kwp ? 0xF1 : 0x6B)
    frame.append(sender)
    if hasLength { frame.append(UInt8(length)) }
  }

  /// Returns the sum, or the CRC computed bit by bit, because an error in the reader's table could not be found with
  /// the same table.
  private static func check(_ bytes: some Sequence<UInt8>, _ bus: BusProtocol) -> UInt8 {
    guard bus == .j1850pwm || bus == .j1850vpw else { return bytes.reduce(0, &+) }
    var register: UInt8 = 0xFF
    for byte in bytes {
      register ^= byte
      for _ in 0..<8 { register = register & 0x80 == 0 ? register << 1 : register << 1 ^ 0x1D }
    }
    return ~register
  }

  /// Whether a line consists only of frames with valid checksums, although it was damaged.
  private static func isValid(_ line: UnsafeBufferPointer<UInt8>, _ bus: BusProtocol) -> Bool {
    guard bus == .kwp, !((line[0] == 0x48 || line[0] == 0x41) && line[1] == 0x6B) else {
      return check(line.dropLast(), bus) == line[line.count - 1]
    }
    var first = 0
    while first < line.count {
      var header = line[first] & 0x80 == 0 ? 1 : 3
      var length = Int(line[first] & 0x3F)
      if length == 0 {
        guard line.count - first > header else { return false }
        length = Int(line[first + header])
        header += 1
      }
      let end = first + header + length
      guard length > 0, line.count > end, line[first..<end].reduce(0, &+) == line[end] else { return false }
      first = end + 1
    }
    return true
  }

  // MARK: Question and answer

  /// Selects the request that the first expected message answers. All other messages are then unexpected.
  func selectRequest() {
    for index in 0..<messageCount where !messages[index].isBroken {
      let payload = messages[index].bytes
      guard payload[0] != 0x7F, payload.count > 2 else { return }
      question.append(hex: payload[0] - 0x40)
      switch payload[0] {
      case 0x62:
        question.append(hex: payload[1])
        question.append(hex: payload[2])
      case 0x41, 0x61, 0x46, 0x49: question.append(hex: payload[1])
      default: break
      }
      return
    }
  }

  func run() {
    var handler = Findings(exchange: self)
    reader.sent(reset.span, into: &handler)
    reader.finish(into: &handler)
    reader.state(bus, headers: .on)
    isListening = true
    let loaded = UnsafeBufferPointer(start: definitions.baseAddress, count: definitionCount)
    if question.count > 0 { reader.sent(question.all.span, loaded: loaded.span, into: &handler) }
    reader.receive(text.all.span, loaded: loaded.span, into: &handler)
    reader.finish(loaded: loaded.span, into: &handler)
    finish()
  }
}

/// Passes the frames and messages of the reader to the exchange.
private struct Findings: ReplyHandler {
  unowned let exchange: Exchange

  mutating func message(_ payload: Span<UInt8>, origin: Origin) { exchange.check(payload, from: origin.ecu) }
  mutating func reading(_ reading: Reading) { exchange.check(reading) }
  mutating func failure(_ error: WireError, line: Span<UInt8>) { exchange.check(error, line: line) }
}
