import Peers
import Ports
import TestKit
import Testing

@testable import Sinks
@testable import SinksTestKit

/// Delays between attempts to reach a fleet store.
@Suite struct FleetStoreRetryTests: ~Copyable {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  @Test func an_unreachable_store_is_tried_at_least_once_a_minute() throws {
    let port = try ReservedPort()
    let url = try #require(
      ServiceURL("http://127.0.0.1:\(port.number)/api", schemes: FleetStoreConfiguration.schemes))
    var sink = FleetStoreSink(
      FleetStoreConfiguration(url: url), FleetStoreSink.GatewayFacts(version: "1", stateDirectory: scratch.path))
    let wakeUp = try SinkWakeUp()
    for _ in 1...50 {
      let delivery = sink.deliver(Batches.telemetry(1...3), wakeUp)
      #expect(delivery.acknowledged.isEmpty)
      #expect(delivery.notBefore - BootClock.now <= 60_000_000_000)
    }
  }
}
