import Ports
import Testing

@testable import Gateway

@Suite struct ReconnectingTests {
  private static let low = PortAddress.ble(BluetoothAddress("AA:BB:CC:00:00:01")!)
  private static let second: Int64 = 1_000_000_000

  @Test func an_adapter_that_does_not_answer_is_called_more_and_more_seldom() {
    var reconnecting = Reconnecting()
    var pauses: [Int64] = []
    for _ in 0..<9 {
      _ = reconnecting.failed(.timedOut)
      pauses.append(reconnecting.nextTry(Self.low, wasOpen: false, notBefore: nil, at: 0) / Self.second)
    }
    #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60])
  }

  /// The line that calls it meanwhile would end what is done to pair it.
  @Test(arguments: [true, false])
  func one_that_wants_a_key_is_left_to_whoever_asks_it_for_one(_ wasOpen: Bool) {
    var reconnecting = Reconnecting()
    if wasOpen { reconnecting.opened(at: 0) } else { _ = reconnecting.failed(.notPaired) }
    reconnecting.wasNotPaired()
    #expect(reconnecting.nextTry(Self.low, wasOpen: wasOpen, notBefore: nil, at: 0) == 60 * Self.second)
    // Once, for that try.
    _ = reconnecting.failed(.timedOut)
    #expect(reconnecting.nextTry(Self.low, wasOpen: false, notBefore: nil, at: 0) < 5 * Self.second)
  }
}
