import Ports
import Testing

@testable import Gateway
@testable import GatewayLinks

@Suite struct ReconnectPlanTests {
  private static let second: Int64 = 1_000_000_000
  private let address = BluetoothAddress("00:1D:A5:68:98:8A")!

  /// Returns the pauses after each of a number of failed attempts, s.
  private func pauses(_ address: PortAddress, _ count: Int, _ reconnecting: inout ReconnectPlan) -> [Double] {
    (0..<count).map { _ in
      _ = reconnecting.failed(.timedOut)
      return Double(reconnecting.nextTry(address, wasOpen: false, notBefore: nil, at: 0)) / 1e9
    }
  }

  @Test func an_absent_bluetooth_adapter_is_retried_at_growing_intervals() {
    var classic = ReconnectPlan()
    #expect(pauses(.rfcomm(address, channel: nil), 8, &classic) == [1, 2, 4, 8, 16, 30, 30, 30])
    var lowEnergy = ReconnectPlan()
    #expect(pauses(.ble(address), 8, &lowEnergy) == [1, 2, 4, 8, 16, 32, 60, 60])
  }

  @Test func a_bluetooth_adapter_is_retried_at_once_after_a_connection() {
    let address = PortAddress.rfcomm(address, channel: nil)
    var reconnecting = ReconnectPlan()
    _ = pauses(address, 8, &reconnecting)
    reconnecting.opened(at: 0)
    let lost = 60 * Self.second
    #expect(reconnecting.nextTry(address, wasOpen: true, notBefore: nil, at: lost) - lost == Self.second / 10)
    #expect(pauses(address, 3, &reconnecting) == [1, 2, 4])
  }

  @Test func an_adapter_that_disconnects_at_once_is_retried_after_a_pause() {
    let address = PortAddress.rfcomm(address, channel: nil)
    var reconnecting = ReconnectPlan()
    let pauses = (0..<7).map { _ in
      reconnecting.opened(at: 0)
      return reconnecting.nextTry(address, wasOpen: true, notBefore: nil, at: Self.second) / Self.second - 1
    }
    #expect(pauses == [1, 2, 4, 8, 16, 30, 30])
  }

  @Test func serial_and_network_ports_have_their_own_retry_intervals() {
    var serial = ReconnectPlan()
    #expect(pauses(.serial(path: "/dev/ttyUSB0", baud: nil), 5, &serial) == [0.3, 0.3, 0.3, 0.3, 0.3])
    var network = ReconnectPlan()
    #expect(pauses(.tcp(host: "elm", port: 35_000), 6, &network) == [1, 2, 3, 4, 4, 4])
  }

  @Test func a_wake_up_is_not_a_failure_and_each_reason_is_reported_once() {
    var reconnecting = ReconnectPlan()
    let told = [PortError.Kind.interrupted, .timedOut, .timedOut, .refused].map { reconnecting.failed($0) }
    #expect(told == [false, true, false, true])
  }

  /// A link that connects meanwhile would end the pairing.
  @Test(arguments: [true, false])
  func an_adapter_that_requires_a_key_waits_for_pairing(_ wasOpen: Bool) {
    var reconnecting = ReconnectPlan()
    if wasOpen { reconnecting.opened(at: 0) } else { _ = reconnecting.failed(.notPaired) }
    reconnecting.wasNotPaired(.ble(address))
    #expect(reconnecting.nextTry(.ble(address), wasOpen: wasOpen, notBefore: nil, at: 0) == 60 * Self.second)
    // This applies only to that attempt.
    _ = reconnecting.failed(.timedOut)
    #expect(reconnecting.nextTry(.ble(address), wasOpen: false, notBefore: nil, at: 0) < 5 * Self.second)
  }

  @Test func a_classic_bluetooth_adapter_that_requires_a_key_is_retried_as_usual() {
    var reconnecting = ReconnectPlan()
    _ = reconnecting.failed(.notPaired)
    reconnecting.wasNotPaired(.rfcomm(address, channel: nil))
    #expect(
      reconnecting.nextTry(.rfcomm(address, channel: nil), wasOpen: false, notBefore: nil, at: 0) == Self.second)
  }
}
