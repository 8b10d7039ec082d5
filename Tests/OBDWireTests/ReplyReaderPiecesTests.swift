import Testing

@testable import OBDWire

/// Random dialogues have the same results in one piece and in small pieces, with and without spaces, with CR and LF.
///
/// A text line that is complete in one piece and followed by enough bytes is read eight characters at a time. Lines in
/// small pieces are read character by character. Each comparison includes the text line, position and error offset of
/// every event.
struct ReplyReaderPiecesTests {
  @Test(arguments: 0..<40)
  func random_dialogue_has_the_same_results_in_one_piece_and_in_small_pieces(seed: Int) {
    var dialogue = RandomDialogue(seed: UInt64(seed))
    let buses: [BusProtocol] = [.auto, .auto, .auto, .can11, .can29, .kwp, .iso9141, .j1850vpw]
    let modes: [HeaderMode] = [.auto, .auto, .on, .off]
    let bus = buses[seed % buses.count]
    let headers = modes[seed / buses.count % modes.count]
    let bytes = dialogue.bytes(exchanges: 150)
    let whole = Self.read(bytes, every: bytes.count, bus, headers)
    #expect(whole.events.count > 300)
    for size in [1, 53, 61, 200] {
      let cut = Self.read(bytes, every: size, bus, headers)
      let difference = zip(whole.exact, cut.exact).first { $0 != $1 }
      #expect(difference == nil && whole.exact.count == cut.exact.count, "pieces of \(size) bytes")
    }
  }

  /// Only text lines that end with CR are read eight characters at a time.
  @Test(arguments: 0..<40)
  func random_dialogue_has_the_same_results_with_cr_and_with_lf(seed: Int) {
    var dialogue = RandomDialogue(seed: UInt64(seed))
    let modes: [HeaderMode] = [.auto, .on, .off]
    let spaced = dialogue.bytes(exchanges: 150).filter { $0 != 0x0A }
    for bytes in [spaced, spaced.filter { $0 != 0x20 }] {
      let lineFeeds = bytes.map { $0 == 0x0D ? 0x0A : $0 }
      let words = Self.read(bytes, every: bytes.count, .auto, modes[seed % 3])
      let characters = Self.read(lineFeeds, every: bytes.count, .auto, modes[seed % 3])
      let difference = zip(words.exact, characters.exact).first { $0 != $1 }
      #expect(difference == nil && words.exact.count == characters.exact.count)
      #expect(words.events.count > 300)
    }
  }

  @Test func repeated_frame_in_a_reply_gives_one_reading() {
    let reply = ["7E8 03 41 0D 32", "7E8 03 41 0D 32", "7E9 03 41 0D 32"].reply
    let found = ReplyRecorder.of("010D\r" + reply + "010D\r" + reply + padding)
    #expect(found.readings.count == 4)
  }

  @Test func parameter_that_was_not_requested_is_an_error() {
    let found = ReplyRecorder.of("010C\r7E8 03 41 0D 32 \r\r>" + padding)
    #expect(found.readings == [] && found.errors == ["unexpected 7E8 at 10"])
  }

  @Test func scaling_that_the_ecu_reported_applies_to_later_lines() {
    let told = "0150\r7E8 06 41 50 14 00 00 00 \r\r>"
    let found = ReplyRecorder.of(told + "0110\r7E8 04 41 10 10 00 \r\r>0110\r7E9 04 41 10 10 00 \r\r>" + padding)
    let flows = found.readings.filter { $0.contains(" maf ") }.map { $0.split(separator: " ")[3] }
    #expect(flows.count == 2 && flows[0] != flows[1])
  }

  @Test(arguments: ["84 F1 10 41 0C 1A F8 E5", "48 6B 10 41 0C 1A F8 23", "7E8 04 41 0C 1A", "7E8 08 41 0C 1A F8"])
  func frame_that_fails_its_check_or_its_length_gives_no_reading(frame: String) {
    let found = ReplyRecorder.of("010C\r" + frame + " \r\r>" + padding)
    #expect(found.readings == [] && found.errors.count == 1)
  }

  /// Enough bytes after the last line for it to be read eight characters at a time.
  private let padding = String(repeating: "\r", count: 64)

  private static func read(_ bytes: [UInt8], every size: Int, _ bus: BusProtocol, _ headers: HeaderMode)
    -> ReplyRecorder
  {
    var reader = ReplyReader()
    reader.state(bus, headers: headers)
    var recorder = ReplyRecorder()
    var first = 0
    while first < bytes.count {
      let end = min(first + size, bytes.count)
      reader.receive(bytes.span.extracting(first..<end), into: &recorder)
      first = end
    }
    reader.finish(into: &recorder)
    return recorder
  }
}

/// Polls on a bus that changes, with repeated, damaged and interrupted lines.
private struct RandomDialogue {
  private var state: UInt64
  private var out: [UInt8] = []

  init(seed: UInt64) { state = (seed &+ 1) &* 0x9E37_79B9_7F4A_7C15 }

  mutating func bytes(exchanges: Int) -> [UInt8] {
    out = []
    var bus = 0
    for turn in 0..<exchanges {
      if turn % 10 == 0 {
        bus = random(6)
        out += Array("ATSP0\rOK\r\r>".utf8)
      }
      exchange(bus)
    }
    return out
  }

  private mutating func random(_ bound: Int) -> Int {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return Int((state &* 0x2545_F491_4F6C_DD1D) >> 33) % bound
  }

  private static let parameters: [UInt8] = [
    0x00, 0x01, 0x04, 0x05, 0x06, 0x0B, 0x0C, 0x0D, 0x10, 0x13, 0x14, 0x1D, 0x24, 0x42, 0x4F, 0x50, 0x55, 0x95,
  ]

  private mutating func exchange(_ bus: Int) {
    let parameter = Self.parameters[random(Self.parameters.count)]
    let asked = random(12) == 0 ? UInt8(random(256)) : parameter
    if random(4) > 0 { out += Array(("01" + ReplyRecorder.hex(UInt32(asked), 2) + "\r").utf8) }
    for _ in 0..<[1, 1, 1, 2, 3][random(5)] {
      var payload: [UInt8] = [0x41, parameter]
      switch random(10) {
      case 0: payload = [0x7F, 0x01, UInt8(0x11 + random(2) * 0x67)]
      case 1: for _ in 0..<random(8) { payload.append(UInt8(random(256))) }
      default: for _ in 0..<Int(saeParameterLengths[Int(parameter)]) { payload.append(UInt8(random(256))) }
      }
      let times = random(6) == 0 ? 2 : 1
      for _ in 0..<times { line(frame(payload, bus)) }
    }
    out += Array("\r>".utf8)
  }

  private mutating func frame(_ payload: [UInt8], _ bus: Int) -> String {
    let ecu = UInt8(random(3))
    let digits = Frame.spaced(Array(payload.prefix(7)))
    let control = ReplyRecorder.hex(UInt32(min(payload.count, 7)), 2)
    switch bus {
    case 0, 1: return "7E" + ReplyRecorder.hex(UInt32(8 + ecu), 1) + " " + control + " " + digits
    case 2: return "18 DA F1 " + ReplyRecorder.hex(UInt32(0x10 + ecu), 2) + " " + control + " " + digits
    case 3:
      let format = ReplyRecorder.hex(0x80 | UInt32(min(payload.count, 7)), 2)
      return Frame.sum(format + "F1" + ReplyRecorder.hex(UInt32(0x10 + ecu), 2) + digits)
    case 4: return Frame.sum("486B" + ReplyRecorder.hex(UInt32(0x10 + ecu), 2) + digits)
    default: return Frame.crc("486B" + ReplyRecorder.hex(UInt32(0x10 + ecu), 2) + digits)
    }
  }

  /// A line is usually printed as an adapter does it: with a space after each byte.
  private mutating func line(_ text: String) {
    var bytes = Array((text + " ").utf8)
    switch random(16) {
    case 0: bytes[random(bytes.count)] = UInt8(random(256))
    case 1: bytes.remove(at: random(bytes.count))
    case 2: bytes.insert([0x00, 0x20, 0x30, 0x46, 0x61, 0x0A][random(6)], at: random(bytes.count))
    case 3: bytes = bytes.filter { $0 != 0x20 }
    case 4: bytes.removeLast()
    case 5: bytes = Array((text.lowercased() + " ").utf8)
    case 6: bytes = Array(bytes.prefix(random(bytes.count)))
    default: break
    }
    out += bytes + [0x0D]
  }
}
