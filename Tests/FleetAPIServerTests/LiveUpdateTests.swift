import FleetDomain
import Testing

@testable import FleetAPI

@Suite struct LiveUpdateTests {
  @Test func updates_that_were_already_sent_are_dropped_from_the_batch() throws {
    let channel = LiveChannel(tenant: .standard, topic: .vehicle("VAN-1"))
    let update = LiveUpdate(
      channel,
      [3, 5, 6].map { LiveRecord(number: $0, vehicle: "VAN-1", vin: nil, time: nil, body: Array("{\"n\":\($0)}".utf8)) }
    )
    func frames(_ after: Int64) -> String? { update.frames(after: after).map { String(buffer: $0) } }
    func message(_ number: Int) -> String {
      let text = #"{"event":"record","channel":"vehicle:VAN-1","id":\#(number),"record":{"n":\#(number)}}"#
      return "\u{81}" + String(Character(Unicode.Scalar(UInt8(text.utf8.count)))) + text
    }
    // 0x81 alone is no UTF-8: compared without it.
    let whole = [3, 5, 6].map { message($0).dropFirst() }.joined(separator: "\u{FFFD}")
    #expect(frames(0)?.dropFirst() == whole[...])
    #expect(frames(3)?.dropFirst() == [5, 6].map { message($0).dropFirst() }.joined(separator: "\u{FFFD}")[...])
    #expect(frames(4) == frames(3))
    #expect(frames(6) == nil)
    #expect(update.last == 6)
  }
}

@Suite struct LiveChannelTests {
  @Test func names_are_read_as_they_are_written() {
    let fleet = "fleet:0193e0f2-7c11-7a5e-8f3b-2d1c0b9a8877"
    for name in ["fleet", fleet, "me", "vehicle:VAN-1", "vehicle:a:b ä"] {
      #expect(LiveChannel.Topic(name: name)?.name == name)
    }
    for name in ["", "vehicle:", "vehicles:1", "Fleet", "vehicle:a\nb", "fleet:", "fleet:1", "me:"] {
      #expect(LiveChannel.Topic(name: name) == nil)
    }
  }
}
