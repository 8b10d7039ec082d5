import TestKit
import Testing

@testable import Peers

@Suite struct BackOffTests {
  private let second: Int64 = 1_000_000_000

  @Test func waits_grow_twofold_up_to_the_longest() {
    var most = SteadyGenerator(value: .max)
    var backOff = BackOff()
    let waits = (0..<12).map { _ in backOff.failed(using: &most) }
    #expect(waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300].map { $0 * second })
  }

  @Test func the_jitter_is_full() {
    var least = SteadyGenerator(value: 0)
    var backOff = BackOff()
    #expect((0..<5).map { _ in backOff.failed(using: &least) } == [0, 0, 0, 0, 0])
  }

  @Test func every_wait_lies_below_its_ceiling() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      var backOff = BackOff()
      for ceiling in [1, 2, 4, 8] as [Int64] {
        let wait = backOff.failed(using: &random)
        #expect((0...ceiling * second).contains(wait))
      }
    }
  }

  @Test func a_success_resets_the_back_off() {
    var most = SteadyGenerator(value: .max)
    var backOff = BackOff()
    for _ in 0..<5 { _ = backOff.failed(using: &most) }
    backOff.succeeded()
    #expect(backOff.failed(using: &most) == second)
  }

  @Test func a_requested_wait_is_honoured_up_to_a_day() {
    var least = SteadyGenerator(value: 0)
    var backOff = BackOff()
    #expect(backOff.failed(asked: 120 * second, using: &least) == 120 * second)
    #expect(backOff.failed(asked: .max, using: &least) == 86_400 * second)
    var most = SteadyGenerator(value: .max)
    #expect(backOff.failed(asked: 100 * second, using: &most) <= 111 * second)
  }

  @Test func a_thousand_failures_do_not_overflow() {
    var most = SteadyGenerator(value: .max)
    var backOff = BackOff()
    for _ in 0..<1_000 { _ = backOff.failed(using: &most) }
    #expect(backOff.failed(using: &most) == 300 * second)
  }
}
