import Fusion
import OBDWire
import Testing

@Suite struct FusionOwnersTests {
  private let engine = ECUAddress.can11(0x7EA)
  private let other = ECUAddress.can11(0x7E9)

  @Test func the_ecu_that_answers_0c_has_the_plain_keys() throws {
    var session = Session()
    session.read("speed", 50, from: other, at: 0)
    session.read("speed", 51, from: engine, at: 0.1)
    session.read("rpm", 800, from: engine, at: 0.2)
    let record = try #require(try session.finish(at: 1).first)
    #expect(record.body == #""speed":51,"rpm":800,"ecus":{"7E9":{"speed":50}}"#)
  }

  @Test func supporting_0c_is_enough() throws {
    var session = Session()
    session.supports(0x0010_0000, from: engine, at: 0)
    session.read("speed", 50, from: other, at: 0)
    session.read("speed", 51, from: engine, at: 0.1)
    #expect(try session.finish(at: 1).of("telemetry").first?.number("speed") == 51)
  }

  @Test func supporting_0c_over_uds_is_enough() throws {
    var session = Session()
    session.supports(0x0010_0000, base: 0xF400, service: 0x22, from: engine, at: 0)
    session.read("speed", 50, from: other, at: 0)
    session.read("speed", 51, from: engine, at: 0.1)
    #expect(try session.finish(at: 1).of("telemetry").first?.number("speed") == 51)
  }

  @Test func among_equals_the_lowest_address_has_the_plain_key() throws {
    var session = Session()
    for address in [0x7EB, 0x7E9, 0x7EA] as [UInt32] {
      session.read("rpm", Double(address), from: .can11(address), at: 0)
    }
    let record = try #require(try session.finish(at: 1).first)
    #expect(record.body == #""rpm":2025,"ecus":{"7EA":{"rpm":2026},"7EB":{"rpm":2027}}"#)
  }

  @Test func a_single_ecu_has_the_plain_key() throws {
    var session = Session()
    session.read("rpm", 800, from: engine, at: 0)
    session.read("coolantTemp", 80, from: other, at: 0.1)
    #expect(try session.finish(at: 1).first?.body == #""rpm":800,"coolantTemp":80"#)
  }

  @Test func a_key_does_not_change_hands_when_its_owner_is_silent() throws {
    var session = Session()
    session.read("rpm", 800, from: engine, at: 0)
    session.read("speed", 51, from: engine, at: 0)
    session.read("speed", 50, from: other, at: 0)
    session.read("speed", 52, from: other, at: 1.5)
    session.read("speed", 53, from: engine, at: 2.5)
    let records = try session.finish(at: 3)
    #expect(records.map { $0.number("speed") } == [51, nil, 53])
    #expect(records[1].body == #""ecus":{"7E9":{"speed":52}}"#)
  }

  @Test func an_answer_without_a_header_fills_the_key_of_a_silent_owner() throws {
    var session = Session()
    session.read("speed", 51, from: engine, at: 0)
    session.read("speed", 60, from: .unknown, at: 1.5)
    session.read("speed", 61, from: .unknown, at: 2.5)
    session.read("speed", 52, from: engine, at: 2.6)
    #expect(try session.finish(at: 3).map { $0.number("speed") } == [51, 60, 52])
  }

  @Test(arguments: [
    (ECUAddress.can29(0x18DA_F118), "18DAF118"), (ECUAddress.legacy(0x1A), "1A"), (ECUAddress.can11(0x7EF), "7EF"),
  ])
  func addresses_print_in_the_width_of_their_bus(address: ECUAddress, text: String) throws {
    var session = Session()
    session.read("rpm", 800, from: .legacy(0x00), at: 0)
    session.read("rpm", 801, from: address, at: 0)
    #expect(try session.finish(at: 1).first?.child("ecus")?.keys.first == text)
  }
}
