import Ports
import Testing

@Suite struct WakeUpTests {
  @Test func it_rings_until_silenced_however_often_it_was_rung() throws {
    let wakeUp = try WakeUp()
    #expect(!wakeUp.clear())
    wakeUp.signal()
    wakeUp.signal()
    #expect(wakeUp.wait(until: 0))
    #expect(wakeUp.wait(until: .max))
    #expect(wakeUp.clear())
    #expect(!wakeUp.wait(until: 0))
  }

  @Test func waiting_ends_at_the_moment_given() throws {
    let wakeUp = try WakeUp()
    let moment = BootClock.after(.milliseconds(15))
    #expect(!wakeUp.wait(until: moment))
    #expect(BootClock.now >= moment)
  }

  @Test func durations_that_no_clock_holds_are_never() {
    #expect(BootClock.after(.seconds(Int64.max)) == .max)
    #expect(BootClock.after(.seconds(10_000_000_000)) == .max)
    let now = BootClock.now
    let later = BootClock.after(.milliseconds(1_500))
    #expect((1_500_000_000..<60_000_000_000).contains(later - now))
  }
}
