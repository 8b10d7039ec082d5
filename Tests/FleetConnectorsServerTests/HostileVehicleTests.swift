import FleetAccess
import FleetDomain
import FleetProviders
import FleetstoreTestKit
import Logging
import Synchronization
import Telemetry
import TestKit
import Testing

@testable import FleetConnectors

/// A vehicle whose ID, keys and texts imitate the syntax of each format passes each kind of forward, followed by an
/// ordinary vehicle. The receiver has exactly the expected lines, topics and objects.
@Suite struct HostileVehicleTests {
  /// The comma has a combining mark. Thus it is not the `Character` `,`, but its first byte is that of a comma.
  static let name = "x,vehicle=VAN-1 speed=9,\u{301}=1 \"+/#\\"
  /// The members of its record as JSON. A key has a line break, another one ends with a backslash, and `time` is the
  /// name of the time in InfluxDB. A text has a quotation mark with a combining mark, a backslash and a line break.
  private static let values =
    #""speed":50,"evil\ntelemetry,vehicle=VAN-1 speed":1,"time":7,"k\\":2,"latitude":48.2,"longitude":16.4,"#
    + #""text":"a\"\u0301,b=c d\\\nnext""#
  private static let ordinary = "VAN-1"

  static func records() throws -> [IncomingRecord] {
    [try HomeAssistantBench.record(name, 1, values), try HomeAssistantBench.record(ordinary, 2, #""speed":1"#)]
  }

  /// Keeps the requests that it receives.
  private final class Receiver: ConnectorTransport {
    private let received = Mutex<[ProviderClient.Request]>([])

    var requests: [ProviderClient.Request] { received.withLock { $0 } }

    func send(_ request: ProviderClient.Request) async throws(ProviderFailure) -> ProviderClient.Answer {
      received.withLock { $0.append(request) }
      return .init(status: 204, body: [])
    }
  }

  /// Sends the records of both vehicles with HTTP. Returns the bodies of the requests.
  private static func bodies(_ format: Forward.Format) async throws -> [String] {
    let receiver = Receiver()
    try await ConnectedFleet.with(.sqlite) { fleet in
      let runner = ForwardRunner(
        storage: fleet.storage, keys: fleet.keys, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        now: { [clock = fleet.clock] in clock.now }, transport: { receiver })
      try await fleet.change { [keys = fleet.keys] transaction throws(ThingError) in
        var forward = Forward()
        (forward.name, forward.format, forward.address) = ("Peer", format, "https://peer.example/write")
        let stored = try transaction.insert(forward)
        let secret = format == .webhook ? "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" : "Token t"
        forward.secret = keys.seal(Array(secret.utf8), for: SecretPlace.forward(stored.id))
        try transaction.follow(try transaction.update(stored, to: forward, action: "setSecret"))
      }
      try await runner.round()
      for record in try records() {
        let outcomes = try await fleet.storage.ingest(
          [record], from: .trusted, tenant: .standard, at: fleet.clock.now)
        for case .refused(let refusal) in outcomes { Issue.record("\(refusal)") }
      }
      fleet.clock.advance(seconds: 120)
      try await runner.round()
    }
    for request in receiver.requests {
      #expect(request.url == "https://peer.example/write")
      // Headers contain nothing of the records.
      #expect(
        request.headers.allSatisfy { header in
          !header.contains("VAN-1") && header.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
        }, "\(request.headers)")
    }
    return receiver.requests.map { String(decoding: $0.body ?? [], as: UTF8.self) }
  }

  /// The members of the hostile record.
  private static func members() throws -> [String: JSON] { try JSON(parsing: Array("{\(values)}".utf8)).members }

  @Test func influx_receives_one_line_for_each_vehicle() async throws {
    let vehicle = #"x\,vehicle\=VAN-1\ speed\=9\,"# + "\u{301}" + #"\=1\ "+/#\\x5C"#
    let text = #""a\""# + "\u{301}" + #",b=c d\\"# + "\n" + #"next""#
    let hostile =
      #"telemetry,vehicle=\#(vehicle) k\\x5C=2.0,latitude=48.2,longitude=16.4,speed=50.0,text=\#(text)"#
    let expected = "\(hostile) 1772366401000000000\ntelemetry,vehicle=VAN-1 speed=1.0 1772366402000000000"
    let bodies = try await Self.bodies(.influx)
    // Texts that are equal in Swift may have other bytes.
    #expect(bodies.count == 1 && bodies[0].utf8.elementsEqual(expected.utf8), "\(bodies)")
  }

  @Test func names_that_end_with_a_backslash_stay_different() throws {
    func tag(_ vehicle: String) throws -> Substring {
      let stored = StoredRecord(
        vehicle: vehicle, recordClass: .known(.telemetry), id: UUIDv7(milliseconds: 1, first: 1, rest: 1),
        time: Timestamp(nanoseconds: 1), quality: .gps, body: Array(#"{"speed":1}"#.utf8))
      let line = try #require(ForwardedRecord(stored).flatMap(InfluxLine.text))
      return line.dropFirst("telemetry,vehicle=".count).prefix { $0 != " " }
    }
    #expect(try tag(#"A\"#) == #"A\\x5C"# && tag(#"A\x5C"#) == #"A\\x5Cx5C"# && tag(#"A\B"#) == #"A\\B"#)
    #expect(try tag("Ax5C") == "Ax5C" && tag(#"A\\"#) == #"A\\\\x5C"#)
  }

  @Test func a_webhook_receives_one_object_for_each_vehicle() async throws {
    let bodies = try await Self.bodies(.webhook)
    #expect(bodies.count == 1)
    let records = try JSON(parsing: Array((bodies.first ?? "").utf8))["data"]?["records"]?.elements ?? []
    #expect(records.map { $0["vehicleId"] } == [.text(Self.name), .text(Self.ordinary)])
    #expect(records.map { $0["values"] } == [.object(try Self.members()), .object(["speed": .integer(1)])])
  }

  /// Only the hostile vehicle has a position.
  @Test func traccar_receives_one_position() async throws {
    let bodies = try await Self.bodies(.traccar)
    #expect(bodies.count == 1)
    let json = try JSON(parsing: Array((bodies.first ?? "").utf8))
    #expect(Set(json.members.keys) == ["position", "device"])
    #expect(json["device"]?["uniqueId"] == .text(Self.name) && json["device"]?["name"] == .text(Self.name))
    var attributes = try Self.members()
    (attributes["latitude"], attributes["longitude"]) = (nil, nil)
    #expect(json["position"]?["attributes"] == .object(attributes))
    #expect(json["position"]?["latitude"] == .number(48.2) && json["position"]?["longitude"] == .number(16.4))
  }

  @Test func home_assistant_receives_the_topics_of_each_vehicle() async throws {
    let store = RetainedStore()
    try await ConnectedFleet.with(.sqlite) { fleet in
      let bench = try await HomeAssistantBench(fleet, to: "mqtts://fleet@broker.example/vans", publisher: store)
      try await bench.store(try Self.records())
      try await bench.round()
      let forward = try await bench.forward()
      #expect(forward.sent == 2 && forward.state == .working, "\(forward.failures)")
    }
    let hostile = "x_2cvehicle_3dVAN-1_20speed_3d9_2c_cc_81_3d1_20_22_2b_2f_23_5c"
    let line = "evil_0atelemetry_2cvehicle_3dVAN-1_20speed"
    let sensors = [line, "k_5c", "speed", "text", "time"]
    var expected = sensors.flatMap { key in
      ["vans/\(hostile)/\(key)", "homeassistant/sensor/vans__\(hostile)/\(key)/config"]
    }
    expected += [
      "homeassistant/device_tracker/vans__\(hostile)/position/config", "vans/\(hostile)/position/attributes",
      "vans/\(hostile)/availability/state", "homeassistant/sensor/vans__VAN-1/speed/config", "vans/VAN-1/speed",
      "vans/VAN-1/availability/state",
    ]
    let messages = store.calls.reduce(into: [:]) { $0.merge($1) { _, newest in newest } }
    #expect(messages.keys.sorted() == expected.sorted())
    #expect(messages["vans/VAN-1/speed"] == "1" && messages["vans/\(hostile)/speed"] == "50")
    #expect(messages["vans/\(hostile)/text"] == "a\"\u{301},b=c d\\\nnext")
  }

  /// The prefix belongs to another tenant. An archive of that tenant may contain such a forward.
  @Test func topics_of_another_tenant_are_not_used() async throws {
    let store = RetainedStore()
    try await ConnectedFleet.with(.sqlite) { fleet in
      let bench = try await HomeAssistantBench(
        fleet, to: "mqtts://fleet@broker.example/~acme/vans", publisher: store)
      try await bench.store(try Self.records())
      try await bench.round()
      let forward = try await bench.forward()
      #expect(forward.state == .refused && forward.sent == 0, "\(forward)")
      #expect("\(forward.failures)".contains("the topics of other tenants"), "\(forward.failures)")
    }
    #expect(store.calls.isEmpty)
  }

  /// The longest ID of a vehicle and the longest key that is published.
  @Test func the_longest_names_fit_into_a_topic() async throws {
    let store = RetainedStore()
    // U+4E2D has three bytes.
    let (vehicle, key) = (String(repeating: "\u{4E2D}", count: 42), String(repeating: "#", count: 100))
    try await ConnectedFleet.with(.sqlite) { fleet in
      let prefix = String(repeating: "v", count: 200)
      let bench = try await HomeAssistantBench(fleet, to: "mqtts://fleet@broker.example/\(prefix)", publisher: store)
      try await bench.store([
        try HomeAssistantBench.record(vehicle, 1, #""\#(key)":1,"\#(key)#":2"#)
      ])
      try await bench.round()
    }
    let topics = store.calls.flatMap(\.keys)
    // The value, its discovery message, and the availability. The second key is too long.
    #expect(topics.count == 3, "\(topics)")
    // MQTT allows 65,535 bytes.
    #expect(topics.allSatisfy { $0.utf8.count < 2_000 })
  }
}
