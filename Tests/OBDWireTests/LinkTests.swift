import Testing

@testable import OBDWire

struct LinkTests {
  @Test func digit_of_the_adapter_names_the_bus() {
    let names: [(Character, BusProtocol)] = [
      ("0", .auto), ("1", .j1850pwm), ("2", .j1850vpw), ("3", .iso9141), ("4", .kwp), ("5", .kwp), ("6", .can11),
      ("7", .can29), ("8", .can11), ("9", .can29), ("A", .auto), ("B", .auto),
    ]
    for (digit, bus) in names { #expect(BusProtocol(elmDigit: digit.asciiValue ?? 0) == bus, "\(digit)") }
  }

  @Test func a_stated_protocol_overrides_an_observed_one_and_that_overrides_a_hint() {
    var link = Link()
    #expect(link.isCAN == nil && link.usesCRC == nil)
    link.hinted = .can11
    #expect(link.isCAN == true)
    link.seenCAN = false
    #expect(link.isCAN == false)
    link.stated = .can29
    #expect(link.isCAN == true)
  }

  @Test func check_is_the_buses_or_what_frames_taught() {
    var link = Link()
    link.learnedCRC = true
    #expect(link.usesCRC == true)
    link.hinted = .kwp
    #expect(link.usesCRC == false)
    link.stated = .j1850vpw
    #expect(link.usesCRC == true)
    link.forgetFrames()
    #expect(link.learnedCRC == nil)
  }

  @Test func reader_reports_the_bus_that_the_dialogue_named() {
    var reader = ReplyReader()
    var found = ReplyRecorder()
    var buses = [reader.bus]
    found.read("OK\r>", to: "ATSP6", by: &reader)
    buses.append(reader.bus)
    found.read("A7\r>", to: "ATDPN", by: &reader)
    buses.append(reader.bus)
    reader.state(.kwp, headers: .auto)
    buses.append(reader.bus)
    #expect(buses == [.auto, .can11, .can29, .kwp])
  }

  @Test func wrong_check_learned_is_unlearned_by_one_refusal() {
    var reader = ReplyReader()
    var found = ReplyRecorder()
    found.read(Frame.sum("486B10410D32") + "\r>", to: "010D", by: &reader)
    // The adapter is on another bus. The first frame is rejected, and the next one is read.
    for _ in 0..<2 { found.read(Frame.crc("486B10410D33") + "\r>", to: "010D", by: &reader) }
    #expect(found.readings == ["10 010D speed 50", "10 010D speed 51"])
    #expect(found.errors == ["checksum 10 at 18"])
  }
}
