import FleetDomain
import Testing

@testable import FleetStorage

@Suite struct AnnouncerTests {
  @Test func a_slow_reader_gets_only_the_newest_position() async {
    let announcer = Announcer()
    var reader = announcer.stream(.standard).makeAsyncIterator()
    for number in 1...9 { announcer.announce(.standard, FeedPosition(rawValue: Int64(number))) }
    // A late announcement with an old position is ignored.
    announcer.announce(.standard, FeedPosition(rawValue: 5))
    #expect(await reader.next()?.rawValue == 9)
    announcer.close()
    #expect(await reader.next() == nil)
    var late = announcer.stream(.standard).makeAsyncIterator()
    #expect(await late.next() == nil)
  }
}
