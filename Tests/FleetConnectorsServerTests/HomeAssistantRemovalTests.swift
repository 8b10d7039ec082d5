import FleetAccess
import FleetDomain
import FleetWork
import Telemetry
import TestKit
import Testing

@testable import FleetConnectors

/// Vehicles that fall silent or leave the fleet, and forwards that are removed. mosquitto is the broker.
@Suite struct HomeAssistantRemovalTests: ~Copyable {
  private typealias Bench = HomeAssistantBench

  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private static let position = #""latitude":48.2,"longitude":16.4"#

  private static func availability(_ retained: [String: String]) -> [String: String] {
    retained.filter { $0.key.hasSuffix("/availability/state") }
  }

  /// The vehicles that have messages of any kind.
  private static func vehicles(_ retained: [String: String]) -> Set<String> {
    Set(retained.keys.compactMap { topic in ["VAN-1", "VAN-2", "VAN-3"].first { topic.contains($0) } })
  }

  @Test func a_vehicle_that_is_silent_for_a_day_is_unavailable() async throws {
    let broker = try Mosquitto(in: scratch)
    try await ConnectedFleet.with(.sqlite) { fleet in
      let bench = try await Bench(fleet, to: "mqtt://127.0.0.1:\(broker.port)/vans")
      try await bench.store([
        try Bench.record("VAN-1", 1, #""fuelLevel":54,\#(Self.position)"#),
        try Bench.record("VAN-2", 80_000, #""fuelLevel":54"#),
      ])
      try await bench.round()
      let both = ["vans/VAN-1/availability/state": "online", "vans/VAN-2/availability/state": "online"]
      #expect(try await runBlocking { Self.availability(try Bench.retained(broker)) } == both)
      // A day after the record of VAN-1, which is not yet a day after the one of VAN-2.
      fleet.clock.advance(seconds: 84_000)
      try await bench.round()
      var expected = both
      expected["vans/VAN-1/availability/state"] = "offline"
      let retained = try await runBlocking { try Bench.retained(broker) }
      #expect(Self.availability(retained) == expected)
      // The values are still there, so that they are known when the vehicle returns.
      #expect(retained["vans/VAN-1/fuelLevel"] == "54")
      // A record that arrives late changes the value, but the vehicle is still silent.
      try await bench.store([try Bench.record("VAN-1", 2, #""fuelLevel":53"#)])
      try await bench.round()
      #expect(try await runBlocking { try Bench.retained(broker)["vans/VAN-1/fuelLevel"] } == "53")
      #expect(try await runBlocking { Self.availability(try Bench.retained(broker)) } == expected)
      try await bench.store([try Bench.record("VAN-1", 90_000, #""fuelLevel":52"#)])
      try await bench.round()
      #expect(try await runBlocking { Self.availability(try Bench.retained(broker)) } == both)
      #expect(try await bench.forward().failures.isEmpty)
    }
  }

  @Test func a_vehicle_that_leaves_the_fleet_disappears() async throws {
    let broker = try Mosquitto(in: scratch)
    try await ConnectedFleet.with(.sqlite) { fleet in
      let bench = try await Bench(fleet, to: "mqtt://127.0.0.1:\(broker.port)/vans")
      try await bench.store(
        try (1...3).map { try Bench.record("VAN-\($0)", $0, #""speed":1,"a/b":true,\#(Self.position)"#) })
      try await bench.round()
      let before = try await runBlocking { try Bench.retained(broker) }
      #expect(Self.vehicles(before) == ["VAN-1", "VAN-2", "VAN-3"] && before.count == 21)
      let removed = try #require(try await fleet.storage.vehicle("VAN-2", tenant: .standard))
      let retired = try #require(try await fleet.storage.vehicle("VAN-3", tenant: .standard))
      try await fleet.change { transaction throws(ThingError) in
        try transaction.removeVehicle(removed)
        _ = try transaction.execute(.retire, retired)
      }
      try await bench.round()
      #expect(try await runBlocking { try Bench.retained(broker) } == before.filter { $0.key.contains("VAN-1") })
      // A retired vehicle is not shown again. The ID of a removed one can be used by another vehicle.
      try await bench.store([
        try Bench.record("VAN-2", 12, #""speed":2"#), try Bench.record("VAN-3", 13, #""speed":3"#),
      ])
      try await bench.round()
      let after = try await runBlocking { try Bench.retained(broker) }
      #expect(Self.vehicles(after) == ["VAN-1", "VAN-2"] && after["vans/VAN-2/speed"] == "2")
      #expect(after["vans/VAN-2/a_2fb"] == nil)
      #expect(try await bench.forward().failures.isEmpty)
    }
  }

  @Test func a_removed_forward_clears_its_messages_when_the_broker_returns() async throws {
    let broker = try Mosquitto(isPersistent: true, in: scratch)
    try await ConnectedFleet.with(.sqlite) { fleet in
      let bench = try await Bench(fleet, to: "mqtt://127.0.0.1:\(broker.port)/vans")
      let other = try await Bench(fleet, to: "mqtt://127.0.0.1:\(broker.port)/others")
      try await bench.store(
        try (1...3).map { try Bench.record("VAN-\($0)", $0, #""speed":1,\#(Self.position)"#) })
      // Both forwards are served, one in each round.
      try await bench.round()
      try await bench.round()
      let before = try await runBlocking {
        let before = try Bench.retained(broker)
        try broker.save()
        try broker.kill()
        return before
      }
      #expect(before.count { $0.key.contains("vans") } == 15 && before.count == 30, "\(before.keys.sorted())")
      let isRemoved = try await fleet.change { [id = bench.id] transaction throws(ThingError) in
        try transaction.end(try transaction.existing(id, Forward.self))
      }
      #expect(!isRemoved)
      try await bench.round()
      try await bench.round()
      let waiting = try await bench.forward()
      #expect(waiting.state == .failing && !waiting.isActive && waiting.removeBy != nil, "\(waiting)")
      try await runBlocking { try broker.startAgain() }
      try await bench.round()
      try await bench.round()
      let after = try await runBlocking { try Bench.retained(broker) }
      #expect(after == before.filter { !$0.key.contains("vans") }, "\(after.keys.sorted())")
      #expect(try await fleet.all(Forward.self).map(\.id) == [other.id])
      #expect(try await fleet.all(ForwardProgress.self).map(\.id) == [other.id])
      #expect(try await Set(fleet.all(PublishedDevice.self).map(\.value.forwardID)) == [other.id])
    }
  }

  @Test(arguments: Database.allCases)
  func messages_that_cannot_be_cleared_in_a_week_are_reported(_ database: Database) async throws {
    try await ConnectedFleet.with(database) { fleet in
      let store = RetainedStore()
      let bench = try await Bench(fleet, to: "mqtts://broker.example/vans", publisher: store)
      let end: @Sendable (any FleetTransaction) throws(ThingError) -> Bool = {
        [id = bench.id] transaction throws(ThingError) in
        try transaction.end(try transaction.existing(id, Forward.self))
      }
      try await bench.store([try Bench.record("VAN-1", 1, #""speed":1"#)])
      try await bench.round()
      #expect(try await fleet.all(PublishedDevice.self).map(\.value.entities) == [.array([.text("sensor/speed")])])
      #expect(try await fleet.change(end) == false)
      store.fail(3)
      try await bench.round()
      var forward = try await bench.forward()
      #expect(forward.state == .failing && !forward.failures[0].message.contains(ForwardRunner.leftBehind))
      fleet.clock.advance(seconds: 7 * 86_400)
      try await bench.round()
      forward = try await bench.forward()
      #expect(forward.state == .failing && forward.failures[0].message.hasPrefix(ForwardRunner.leftBehind))
      // Nothing is attempted any more.
      try await bench.round()
      #expect(store.calls.count == 1)
      #expect(try await bench.forward().failures.count == 2)
      #expect(try await fleet.change(end))
      #expect(try await fleet.all(Forward.self).isEmpty)
      #expect(try await fleet.all(ForwardProgress.self).isEmpty)
      #expect(try await fleet.all(PublishedDevice.self).isEmpty)
    }
  }

  @Test(arguments: Database.allCases)
  func a_forward_without_messages_is_removed_at_once(_ database: Database) async throws {
    try await ConnectedFleet.with(database) { fleet in
      let bench = try await Bench(fleet, to: "mqtts://broker.example/vans", publisher: RetainedStore())
      let isRemoved = try await fleet.change { [id = bench.id] transaction throws(ThingError) in
        try transaction.end(try transaction.existing(id, Forward.self))
      }
      #expect(isRemoved)
      #expect(try await fleet.all(Forward.self).isEmpty)
      #expect(try await fleet.all(ForwardProgress.self).isEmpty)
    }
  }
}
