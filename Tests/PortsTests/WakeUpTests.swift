import Ports
import Testing

@Suite struct WakeUpTests {
  @Test func a_wake_up_stays_signalled_until_it_is_cleared() throws {
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

  @Test func too_long_durations_never_end() {
    #expect(BootClock.after(.seconds(Int64.max)) == .max)
    #expect(BootClock.after(.seconds(10_000_000_000)) == .max)
    let now = BootClock.now
    let later = BootClock.after(.milliseconds(1_500))
    #expect((1_500_000_000..<60_000_000_000).contains(later - now))
  }
}
