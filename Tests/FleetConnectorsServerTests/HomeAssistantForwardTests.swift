import FleetAccess
import FleetDomain
import FleetProviders
import FleetStorageTestKit
import FleetWork
import Foundation
import Logging
import Telemetry
import TestKit
import Testing

@testable import FleetConnectors

/// Forwards to Home Assistant, with mosquitto as the broker. mosquitto_sub reads the retained messages.
@Suite struct HomeAssistantForwardTests: ~Copyable {
  private typealias Bench = HomeAssistantBench

  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private static let position = #""latitude":48.2,"longitude":16.4"#

  @Test func a_vehicle_appears_with_its_values_and_position() async throws {
    let broker = try Mosquitto(in: scratch)
    try await ConnectedFleet.with(.sqlite) { fleet in
      let bench = try await Bench(fleet, to: "mqtt://127.0.0.1:\(broker.port)/vans")
      _ = try await fleet.change { transaction throws(ThingError) in
        try transaction.insert(Vehicle(id: "VAN-1", name: "Blue van", make: "VW", model: "Crafter"))
      }
      try await bench.store([
        try Bench.record("VAN-1", 1, #""speed":50,"fuelLevel":54.5"#),
        try Bench.record("VAN-1", 2, #""speed":51,"mil":false,\#(Self.position)"#),
      ])
      try await bench.round()
      let forward = try await bench.forward()
      #expect(forward.sent == 2 && forward.state == .working, "\(forward.failures)")
      let retained = try await runBlocking { try Bench.retained(broker) }
      #expect(
        retained.keys.sorted() == [
          "homeassistant/binary_sensor/vans__VAN-1/mil/config",
          "homeassistant/device_tracker/vans__VAN-1/position/config",
          "homeassistant/sensor/vans__VAN-1/fuelLevel/config", "homeassistant/sensor/vans__VAN-1/speed/config",
          "vans/VAN-1/availability/state", "vans/VAN-1/fuelLevel", "vans/VAN-1/mil",
          "vans/VAN-1/position/attributes", "vans/VAN-1/speed",
        ])
      #expect(retained["vans/VAN-1/speed"] == "51" && retained["vans/VAN-1/fuelLevel"] == "54.5")
      #expect(retained["vans/VAN-1/mil"] == "false" && retained["vans/VAN-1/availability/state"] == "online")
      #expect(
        retained["vans/VAN-1/position/attributes"]
          == #"{"latitude":48.2,"longitude":16.4,"time":"2026-03-01T12:00:02.000Z"}"#)
      let config = try JSON(
        parsing: Array((retained["homeassistant/sensor/vans__VAN-1/speed/config"] ?? "").utf8))
      #expect(config["state_topic"] == .text("vans/VAN-1/speed") && config["unit_of_measurement"] == .text("km/h"))
      #expect(
        config["device"]?.canonicalText
          == #"{"identifiers":["vans__VAN-1"],"manufacturer":"VW","model":"Crafter","name":"Blue van"}"#)
    }
  }

  @Test func hostile_ids_stay_below_the_prefix() async throws {
    let broker = try Mosquitto(in: scratch)
    let names = ["+", "#", "a/../b", "$SYS", "homeassistant/sensor", "Wien Süd", "a_b", "x\",\"name\":\"y"]
    try await ConnectedFleet.with(.sqlite) { fleet in
      let bench = try await Bench(fleet, to: "mqtt://127.0.0.1:\(broker.port)/vans")
      try await bench.store(
        try names.enumerated().map { try Bench.record($0.element, $0.offset, #""speed":\#($0.offset),"+/#":true"#) })
      try await bench.round()
      let retained = try await runBlocking { try Bench.retained(broker) }
      let expected = names.enumerated().flatMap { number, name in
        let topics = HomeAssistantTopics(HomeAssistantDevice(id: name), prefix: "vans")
        return [
          (topics.state("speed"), "\(number)"), (topics.state("+/#"), "true"),
          (topics.availability(isOnline: true).topic, "online"),
        ]
      }
      let states = retained.filter { !$0.key.hasPrefix("homeassistant/") }
      #expect(states == Dictionary(uniqueKeysWithValues: expected))
      #expect(
        states.keys.allSatisfy { topic in
          topic.hasPrefix("vans/")
            && topic.split(separator: "/").count == (topic.hasSuffix("/availability/state") ? 4 : 3)
        }, "\(states.keys)")
      let configs = retained.filter { $0.key.hasPrefix("homeassistant/") }
      #expect(configs.count == 2 * names.count)
      #expect(
        configs.keys.allSatisfy { topic in
          let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
          return levels.count == 5 && levels[4] == "config"
            && levels.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 && !"+#$ \"".utf8.contains($0) } }
        }, "\(configs.keys)")
      let shown = try configs.values.compactMap { try JSON(parsing: Array($0.utf8))["device"]?["name"]?.textValue }
      #expect(Set(shown) == Set(names))
    }
  }

  @Test func a_broker_that_returns_gets_what_it_missed() async throws {
    let broker = try Mosquitto(isPersistent: true, in: scratch)
    try await ConnectedFleet.with(.sqlite) { fleet in
      let bench = try await Bench(fleet, to: "mqtt://127.0.0.1:\(broker.port)/vans")
      try await bench.store([try Bench.record("VAN-1", 1, #""speed":1,"fuelLevel":54"#)])
      try await bench.round()
      let before = try await runBlocking {
        let before = try Bench.retained(broker)
        try broker.save()
        try broker.kill()
        return before
      }
      try await bench.store([try Bench.record("VAN-1", 2, #""speed":2"#)])
      try await bench.round()
      try await bench.store([try Bench.record("VAN-1", 3, #""rpm":900"#)])
      try await bench.round()
      let waiting = try await bench.forward()
      #expect(waiting.sent == 1 && waiting.state == .failing && waiting.failures.count == 2, "\(waiting)")
      try await runBlocking { try broker.startAgain() }
      try await bench.round()
      let forward = try await bench.forward()
      #expect(forward.sent == 3 && forward.state == .working, "\(forward.failures)")
      var expected = before
      expected["vans/VAN-1/speed"] = "2"
      expected["vans/VAN-1/rpm"] = "900"
      var after = try await runBlocking { try Bench.retained(broker) }
      let added = after.removeValue(forKey: "homeassistant/sensor/vans__VAN-1/rpm/config")
      #expect(added != nil && after == expected, "\(after)")
    }
  }

  @Test func a_wrong_password_is_reported_and_nothing_is_lost() async throws {
    let passwords = scratch.file("passwords")
    try Tool.required("mosquitto_passwd")
    #expect(try Tool.run("mosquitto_passwd", ["-c", "-b", passwords, "fleet", "right-one"]).status == 0)
    let broker = try Mosquitto("allow_anonymous false\npassword_file \(passwords)", in: scratch)
    try await ConnectedFleet.with(.sqlite) { fleet in
      let bench = try await Bench(fleet, to: "mqtt://fleet@127.0.0.1:\(broker.port)/vans", password: "wrong-one")
      try await bench.store([try Bench.record("VAN-1", 1, #""speed":1"#)])
      try await bench.round()
      let refused = try await bench.forward()
      #expect(refused.state == .refused && refused.sent == 0 && refused.failures.count == 1)
      let failure = "\(refused.failures)"
      #expect(failure.contains("the broker rejects the connection") && !failure.contains("wrong-one"), "\(failure)")
      try await fleet.change { [keys = fleet.keys, id = bench.id] transaction throws(ThingError) in
        let stored = try transaction.existing(id, Forward.self)
        var forward = stored.value
        forward.secret = keys.seal(Array("right-one".utf8), for: SecretPlace.forward(id))
        try transaction.update(stored, to: forward, action: "setSecret")
      }
      try await bench.round()
      let forward = try await bench.forward()
      #expect(forward.state == .working && forward.sent == 1, "\(forward.failures)")
      try await runBlocking { try broker.says("'vans/VAN-1/speed'") }
    }
  }

  @Test(arguments: ["mqtts://127.0.0.1", "mqtt://127.0.0.1", "mqtts://localhost"])
  func a_private_address_gets_no_connection(_ server: String) async throws {
    let broker = try Mosquitto(in: scratch)
    try await ConnectedFleet.with(.sqlite) { fleet in
      let bench = try await Bench(fleet, to: "\(server):\(broker.port)/vans", mayUsePrivate: false)
      try await bench.store([try Bench.record("VAN-1", 1, #""speed":1"#)])
      try await bench.round()
      let forward = try await bench.forward()
      #expect(forward.state == .failing && forward.sent == 0)
      #expect("\(forward.failures)".contains("not an address that may be used"), "\(forward.failures)")
      #expect(!broker.said.contains { $0.contains("New connection") }, "\(broker.said)")
    }
  }

  /// The certificate has a name, while the connection is made to the address that was checked.
  @Test func tls_verifies_the_name_of_the_broker() async throws {
    let certificates = try Certificates()
    let server = try certificates.make("broker", for: "DNS:localhost")
    #expect(unsafe chmod(server.key, 0o644) == 0 && chmod(certificates.scratch.path, 0o755) == 0)
    let broker = try Mosquitto(
      tls: "certfile \(server.certificate)\nkeyfile \(server.key)", in: scratch)
    let message = RetainedMessage(topic: "vans/VAN-1/speed", payload: Array("50".utf8))
    func publish(to host: String, authorities: String?) async -> ConnectorError? {
      guard let address = MQTTAddress("mqtts://\(host):\(broker.port)/vans") else {
        return ConnectorError(.settings, "no address")
      }
      do throws(ConnectorError) {
        try await MQTTPublisher(mayUsePrivate: true, authorities: authorities)
          .publish([message], as: "test", to: address, password: nil)
        return nil
      } catch {
        return error
      }
    }
    // The second call uses the connection of the first one again.
    let publisher = MQTTPublisher(mayUsePrivate: true, authorities: certificates.authority)
    let address = try #require(MQTTAddress("mqtts://localhost:\(broker.port)/vans"))
    for _ in 0..<2 {
      try await publisher.publish([message], as: "test", to: address, password: nil)
      try await runBlocking { try broker.says("'vans/VAN-1/speed'") }
    }
    let wrongName = await publish(to: "127.0.0.1", authorities: certificates.authority)
    #expect(wrongName?.kind == .unavailable && wrongName?.description.contains("TLS") ?? false, "\(wrongName as Any)")
    let wrongAuthority = await publish(to: "localhost", authorities: nil)
    #expect(wrongAuthority?.kind == .unavailable, "\(wrongAuthority as Any)")
  }

  /// A topic that the broker does not allow is a failure, because nobody would ever get its values.
  @Test func a_topic_that_is_not_allowed_is_reported() async throws {
    let rules = try scratch.write("acl", "topic write vans/#\n")
    let broker = try Mosquitto("allow_anonymous true\nacl_file \(rules)", in: scratch)
    try await ConnectedFleet.with(.sqlite) { fleet in
      let bench = try await Bench(fleet, to: "mqtt://127.0.0.1:\(broker.port)/vans")
      try await bench.store([try Bench.record("VAN-1", 1, #""speed":1"#)])
      try await bench.round()
      let forward = try await bench.forward()
      #expect(forward.state == .refused && forward.sent == 0)
      #expect("\(forward.failures)".contains("the broker rejects a message"), "\(forward.failures)")
    }
  }

  @Test func more_messages_than_the_broker_accepts_at_once_arrive() async throws {
    let broker = try Mosquitto("allow_anonymous true\nmax_inflight_messages 2", in: scratch)
    let address = try #require(MQTTAddress("mqtt://127.0.0.1:\(broker.port)/vans"))
    let messages = (0..<500).map { RetainedMessage(topic: "vans/\($0)", payload: Array("\($0)".utf8)) }
    try await MQTTPublisher(mayUsePrivate: true).publish(messages, as: "test", to: address, password: nil)
    let retained = try await runBlocking { try Bench.retained(broker) }
    #expect(retained == Dictionary(uniqueKeysWithValues: (0..<500).map { ("vans/\($0)", "\($0)") }))
  }

  @Test func a_broker_that_does_not_answer_is_a_failure() async throws {
    let silent = try ListeningPort()
    let address = try #require(MQTTAddress("mqtt://127.0.0.1:\(silent.number)/vans"))
    let message = RetainedMessage(topic: "vans/x", payload: [0x30])
    await #expect(throws: ConnectorError(.unavailable, "the broker does not answer in time")) {
      try await MQTTPublisher(mayUsePrivate: true, seconds: 2)
        .publish([message], as: "test", to: address, password: nil)
    }
    silent.stop()
  }

  // MARK: Without a broker

  @Test(arguments: Database.allCases)
  func the_position_advances_with_the_acknowledgement(_ database: Database) async throws {
    try await ConnectedFleet.with(database) { fleet in
      let store = RetainedStore()
      let bench = try await Bench(fleet, to: "mqtts://broker.example/vans", publisher: store)
      try await bench.store([try Bench.record("VAN-1", 2, #""speed":2"#)])
      store.fail(2)
      try await bench.round()
      try await bench.round()
      #expect(store.calls.isEmpty)
      #expect(try await bench.forward().sent == 0)
      try await bench.round()
      #expect(store.calls.map { $0["vans/VAN-1/speed"] } == ["2"])
      // A late record does not replace the newer value.
      try await bench.store([try Bench.record("VAN-1", 1, #""speed":1,"rpm":900"#)])
      try await bench.round()
      try await bench.round()
      #expect(store.calls.count == 2 && store.calls[1]["vans/VAN-1/rpm"] == "900")
      #expect(store.calls[1]["vans/VAN-1/speed"] == nil)
      #expect(try await bench.forward().sent == 2)
    }
  }

  @Test(arguments: Database.allCases)
  func records_of_private_journeys_are_not_published(_ database: Database) async throws {
    try await ConnectedFleet.with(database) { fleet in
      let store = RetainedStore()
      let bench = try await Bench(fleet, to: "mqtts://broker.example/vans", publisher: store)
      try await fleet.change { transaction throws(ThingError) in
        var journey = Journey()
        (journey.vehicle, journey.purpose, journey.status) = ("VAN-1", .personal, .completed)
        journey.isConfirmed = true
        journey.startTime = Timestamp(nanoseconds: (ConnectedFleet.start + 10_000) * 1_000_000)
        journey.endTime = Timestamp(nanoseconds: (ConnectedFleet.start + 20_000) * 1_000_000)
        try transaction.insert(journey)
      }
      try await bench.store([
        try Bench.record("VAN-1", 15, #""speed":15,"rpm":1500,\#(Self.position),"heading":10"#),
        try Bench.record("VAN-1", 25, #""speed":25"#),
      ])
      try await bench.round()
      let topics = try #require(store.calls.first).keys.sorted()
      #expect(
        topics == [
          "homeassistant/sensor/vans__VAN-1/speed/config", "vans/VAN-1/availability/state", "vans/VAN-1/speed",
        ])
    }
  }
}
