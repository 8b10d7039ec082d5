import Failures
import Foundation
import Fusion
import Geofencing
import Sinks
import TestKit
import Testing

@testable import Gateway

@Suite struct GatewayConfigurationTests {
  private func read(_ text: String, file: String = "/etc/obdgate/gateway.json") throws -> GatewayConfiguration {
    try GatewayConfiguration(parsing: Array(text.utf8), file: file)
  }

  /// Returns the message about an invalid configuration.
  private func refusal(_ text: String) -> String? {
    do {
      _ = try read(text, file: "gateway.json")
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test func an_empty_object_leaves_everything_to_discovery() throws {
    let configuration = try read("{}")
    #expect(configuration == GatewayConfiguration())
    #expect(configuration.discovery.serial && configuration.discovery.bluetooth && !configuration.discovery.probe)
    #expect(configuration.sinks == [.stdout(StdoutConfiguration())])
    #expect(configuration.spool.commitPeriod == 5)
  }

  @Test func the_example_of_the_project_is_read_whole() throws {
    let text = try Data(contentsOf: URL(fileURLWithPath: TestData.projectRoot + "/config.example.json"))
    let configuration = try GatewayConfiguration(parsing: Array(text), file: "/etc/obdgate/config.json")
    #expect(configuration.gatewayId == "gw-17")
    #expect(configuration.vehicle.id == "VAN-001")
    #expect(configuration.vehicle.displacement == 1.6)
    #expect(configuration.vehicle.fuel == .gasoline)
    #expect(
      configuration.adapters.map(\.link) == [
        .serial(device: "/dev/ttyUSB0"), .rfcomm(address: "00:1D:A5:68:98:8A"),
        .tcp(host: "192.168.0.10", port: 35_000),
      ])
    #expect(configuration.poll.signals.map(\.signal) == ["rpm", "speed", "coolantTemp"])
    #expect(configuration.poll.signals.map(\.seconds) == [0.1, 0.1, 5])
    #expect(configuration.gps == [.serial(device: "/dev/ttyACM0", baud: nil), .gpsd(host: "127.0.0.1", port: 2947)])
    #expect(configuration.geofences?.file == "/etc/obdgate/fences.geojson")
    #expect(configuration.signalSets == ["/etc/obdgate/Ford-F-150.json"])
    #expect(configuration.stateDirectory == "/var/lib/obdgate")
    #expect(configuration.sinks.map(\.name) == ["stdout", "file", "fleetStore", "mqtt"])
    guard case .file(let file) = configuration.sinks[1], case .fleetStore(let store) = configuration.sinks[2],
      case .mqtt(let broker) = configuration.sinks[3]
    else {
      Issue.record("\(configuration.sinks)")
      return
    }
    #expect(file.path == "/etc/obdgate/records.jsonl")
    #expect("\(store.url)" == "http://127.0.0.1:8080/api" && store.tokenFile == "/etc/obdgate/token")
    #expect("\(broker.url)" == "mqtt://127.0.0.1:1883")
  }

  @Test func relative_paths_are_relative_to_the_file() throws {
    #expect(try read(#"{"geofences":"a.json"}"#, file: "conf/g.json").geofences?.file == "conf/a.json")
    #expect(try read(#"{"geofences":"a.json"}"#, file: "g.json").geofences?.file == "a.json")
    #expect(try read(#"{"geofences":"/a.json"}"#, file: "conf/g.json").geofences?.file == "/a.json")
  }

  private static let named = "one that this configuration names"
  private static let kept = "one that the daemon keeps in its stateDirectory"

  @Test(arguments: [
    ("gateway.json", "", "this configuration"), ("./x/../gateway.json", "", "this configuration"),
    ("a.json", #""geofences": "a.json""#, named),
    ("s.json", #""signalSets": ["r.json", "s.json"]"#, named),
    ("pin", #""adapters": [{"rfcomm": "00:1D:A5:68:98:8A", "pinFile": "pin"}]"#, named),
    ("d.sock", #""status": {"socket": "d.sock"}"#, named),
    ("state/spool.db", #""stateDirectory": "state""#, kept),
    ("state/./spool.db-wal", #""stateDirectory": "state/""#, kept),
    ("spool.lock", #""stateDirectory": ".""#, kept),
    ("/s/adapters.jsonl", #""stateDirectory": "/s""#, kept),
    ("/s/fences.json.new", #""stateDirectory": "/s""#, kept),
    ("/s/obdgated.sock", #""stateDirectory": "/s""#, kept),
  ])
  func a_sink_cannot_use_a_file_of_the_daemon(_ path: String, _ other: String, _ found: String) {
    let head = other.isEmpty ? "{" : "{\(other), "
    let sink = #""sinks": [{"type": "stdout"}, {"type": "file", "path": "#
    let text = head + sink + "\"\(path)\"}]}"
    let column = (head + sink).utf8.count + 1
    #expect(
      refusal(text) == "gateway.json:1:\(column): sinks[1].path: expected a file of its own, found \(found)")
  }

  @Test(arguments: [
    ("token", #"{"type": "fleetStore", "url": "https://a/api", "tokenFile": "token"}"#),
    ("ca.pem", #"{"type": "mqtt", "url": "mqtts://a", "tls": {"caFile": "ca.pem"}}"#),
    ("password", #"{"type": "mqtt", "url": "mqtts://a", "userFile": "user", "passwordFile": "password"}"#),
    ("/s/refused-b.jsonl", #"{"type": "mqtt", "name": "b", "url": "mqtts://a"}"#),
    ("/s/refused-b.jsonl.1", #"{"type": "mqtt", "name": "b", "url": "mqtts://a"}"#),
  ])
  func a_sink_cannot_use_a_file_of_another_sink(_ path: String, _ sink: String) {
    let text = #"{"stateDirectory": "/s", "sinks": [{"type": "file", "path": "\#(path)"}, \#(sink)]}"#
    #expect(refusal(text)?.hasPrefix("gateway.json:1:61: sinks[0].path: expected a file of its own, found one") == true)
  }

  @Test func records_may_stand_beside_what_the_daemon_keeps() throws {
    let text = #"{"stateDirectory": "/s", "sinks": [{"type": "file", "path": "/s/records.jsonl"}]}"#
    #expect(try read(text).sinks.count == 1)
    let deeper = #"{"stateDirectory": "/s", "sinks": [{"type": "file", "path": "/s/old/spool.db"}]}"#
    #expect(try read(deeper).sinks.count == 1)
  }

  @Test func fences_may_say_when_a_change_counts() throws {
    let text = #"{"geofences": {"file": "a.json", "announceFirstFix": true, "leastErrorRadius": 8, "hold": 20}}"#
    let fences = try #require(try read(text, file: "conf/g.json").geofences)
    #expect(fences.file == "conf/a.json" && fences.announcesFirstFix && fences.errorPerHDOP == nil)
    let rules = FenceRules(fences)
    #expect(rules.announcesFirstFix && rules.leastErrorRadius == 8 && rules.hold == 20_000_000_000)
    #expect(rules.errorPerHDOP == FenceRules().errorPerHDOP)
  }

  @Test(arguments: [
    (#"{"sinks": [{"type": "file", "path": "r.jsonl"}, {"type": "file", "name": "b", "path": "r.jsonl"}]}"#, 87),
    (#"{"sinks": [{"type": "file", "path": "r.jsonl"}, {"type": "file", "name": "b", "path": "./r.jsonl"}]}"#, 87),
    (#"{"sinks": [{"type": "file", "path": "r.jsonl"}, {"type": "file", "name": "b", "path": "a/..//r.jsonl"}]}"#, 87),
  ])
  func a_file_that_another_sink_writes_to_is_refused(_ text: String, _ column: Int) throws {
    #expect(
      refusal(text)
        == "gateway.json:1:\(column): sinks[1].path: expected a file of its own, found one that another sink writes to")
  }

  @Test(arguments: [
    (#"{"adapters": [{"device": "x"}, {"device": "./x"}]}"#, "1:32: adapters[1]: expected another adapter"),
    (#"{"adapters": [{"device": "/dev/a"}, {"device": "/dev//a"}]}"#, "1:37: adapters[1]: expected another adapter"),
    (#"{"gps": [{"device": "x"}, {"device": "./x"}]}"#, "1:27: gps[1]: expected another receiver"),
    (#"{"gps": [{"gpsd": "h"}, {"gpsd": "h:2947"}]}"#, "1:25: gps[1]: expected another receiver"),
    (
      #"{"adapters": [{"device": "/dev/a"}], "gps": [{"device": "/dev/./a"}]}"#,
      "1:46: gps[0]: expected a receiver's device, found one that is in \"adapters\""
    ),
  ])
  func a_device_that_is_named_twice_is_refused(_ text: String, _ start: String) throws {
    let said = try #require(refusal(text))
    #expect(said.hasPrefix("gateway.json:\(start)"), "\(said)")
  }

  @Test func files_and_devices_of_their_own_are_accepted() throws {
    let text = #"""
      {"adapters": [{"device": "/dev/a"}, {"device": "/dev/b"}], "gps": [{"device": "/dev/c"}, {"gpsd": "h"}],
       "sinks": [{"type": "file", "path": "r.jsonl"}, {"type": "file", "name": "b", "path": "../r.jsonl"}]}
      """#
    #expect(refusal(text) == nil)
  }

  @Test(arguments: ["adapters\": [{\"tcp\"", "gps\": [{\"gpsd\""])
  func an_address_with_a_password_is_refused_and_not_shown(_ key: String) throws {
    let said = try #require(refusal("{\"\(key): \"u:geheim@host:x\"}]}"))
    #expect(!said.contains("geheim"), "\(said)")
  }

  @Test func privacy_settings_are_read() throws {
    let text = #"{"privacy": {"position": "coarse", "decimals": 1, "fences": {"home": "off"}}}"#
    let rules = PrivacyRules(try read(text).privacy)
    #expect(rules.everywhere == .coarse(decimals: 1))
    #expect(rules.zones == [.init(fence: "home", privacy: .off)])
    #expect(PrivacyRules(try read("{}").privacy) == PrivacyRules())
    #expect(throws: ConfigurationError.self) { try read(#"{"privacy": {"fences": {"home": "hidden"}}}"#) }
    #expect(throws: Failure.self) { try Settings(try read(#"{"privacy": {"fences": {"home": "off"}}}"#)) }
  }

  @Test func records_can_be_made_on_change_or_for_each_polling_cycle() throws {
    #expect(Cadence(try read(#"{"record": {"period": 0.5}}"#).record) == .every(nanoseconds: 500_000_000))
    #expect(Cadence(try read(#"{"record": {"on": "change"}}"#).record) == .onChange(nanoseconds: 1_000_000_000))
    #expect(Cadence(try read(#"{"record": {"on": "cycle"}}"#).record) == .cycle)
  }

  @Test func settings_of_an_adapter_are_read() throws {
    let text =
      #"{"adapters":[{"device":"/dev/a","baud":500000,"protocol":"6"},{"tcp":"[fe80::1]:35001"},{"tcp":"elm"}]}"#
    let adapters = try read(text).adapters
    #expect(adapters[0] == .init(link: .serial(device: "/dev/a"), baud: 500_000, protocolDigit: "6"))
    #expect(adapters[1].link == .tcp(host: "fe80::1", port: 35_001))
    #expect(adapters[2].link == .tcp(host: "elm", port: 35_000))
    #expect(
      try read(#"{"adapters":[{"rfcomm":"00:1d:a5:68:98:8a"}]}"#).adapters[0].link
        == .rfcomm(address: "00:1D:A5:68:98:8A"))
    let paired = try read(
      #"{"adapters":[{"rfcomm":"00:1D:A5:68:98:8A","pin":"Ab12"},{"ble":"aa:bb:cc:00:00:01","pin":"012345"},{"ble":"AA:BB:CC:00:00:02"}]}"#
    ).adapters
    #expect(
      paired.map(\.link) == [
        .rfcomm(address: "00:1D:A5:68:98:8A"), .ble(address: "AA:BB:CC:00:00:01"), .ble(address: "AA:BB:CC:00:00:02"),
      ])
    #expect(paired.map(\.pin) == ["Ab12", "012345", nil])
  }

  @Test(arguments: [
    (#"{"adaptors":[]}"#, "1:2: adaptors", "did you mean \"adapters\"?"),
    (#"{"record":{"period":0}}"#, "record.period", "expected"),
    (#"{"record":{"period":"1"}}"#, "record.period", "expected"),
    (#"{"poll":{"signals":{"rpm":-1}}}"#, "poll.signals.rpm", "expected"),
    (#"{"adapters":[{"device":"/dev/a","baud":12}]}"#, "adapters[0].baud", "from 1200 to 4000000"),
    (#"{"adapters":[{"device":"/dev/a","baud":"fast"}]}"#, "adapters[0].baud", "\"auto\" or a number"),
    (#"{"adapters":[{"device":"/dev/a","protocol":"B"}]}"#, "adapters[0].protocol", "\"auto\" or \"1\" to \"9\""),
    (#"{"adapters":[{"tcp":"elm","protocol":"A"}]}"#, "adapters[0].protocol", "SAE J1939, which is not polled"),
    (#"{"adapters":[{"device":"/dev/a","tcp":"b"}]}"#, "adapters[0]", "exactly one of"),
    (#"{"adapters":[{"tcp":"b","baud":9600}]}"#, "adapters[0].baud", "unknown key"),
    (#"{"adapters":[{}]}"#, "adapters[0]", "exactly one of"),
    (#"{"adapters":[{"device":"127.0.0.1:35000"}]}"#, "adapters[0].device", "for a network address, use \"tcp\""),
    (#"{"gps":[{"device":"localhost:2947"}]}"#, "gps[0].device", "for a network address, use \"gpsd\""),
    (#"{"adapters":[{"device":"/dev/a"},{"device":"/dev/a"}]}"#, "adapters[1]", "another adapter"),
    (#"{"adapters":[{"rfcomm":"00:1D"}]}"#, "adapters[0].rfcomm", "a Bluetooth address"),
    (#"{"adapters":[{"ble":"AA:BB:CC:00:00:0G"}]}"#, "adapters[0].ble", "a Bluetooth address"),
    (#"{"adapters":[{"ble":"AA:BB:CC:00:00:01","baud":9600}]}"#, "adapters[0].baud", "unknown key"),
    (#"{"adapters":[{"ble":"AA:BB:CC:00:00:01","tcp":"b"}]}"#, "adapters[0]", "exactly one of"),
    (
      #"{"adapters":[{"ble":"AA:BB:CC:00:00:01"},{"rfcomm":"AA:BB:CC:00:00:01"}]}"#, "adapters[1]", "another adapter"
    ),
    (#"{"adapters":[{"ble":"AA:BB:CC:00:00:01","pin":"secret"}]}"#, "adapters[0].pin", "1 to 6 digits in quotes"),
    (#"{"adapters":[{"ble":"AA:BB:CC:00:00:01","pin":"1234567"}]}"#, "adapters[0].pin", "1 to 6 digits in quotes"),
    (#"{"adapters":[{"rfcomm":"AA:BB:CC:00:00:01","pin":""}]}"#, "adapters[0].pin", "1 to 16 letters or digits"),
    (#"{"adapters":[{"rfcomm":"AA:BB:CC:00:00:01","pin":"secret!"}]}"#, "adapters[0].pin", "1 to 16 letters or digits"),
    (#"{"adapters":[{"rfcomm":"AA:BB:CC:00:00:01","pin":1234}]}"#, "adapters[0].pin", "1 to 16 letters or digits"),
    (#"{"adapters":[{"tcp":"a","pin":"1234"}]}"#, "adapters[0].pin", "unknown key"),
    (#"{"adapters":[{"tcp":"a","pinFile":"pin"}]}"#, "adapters[0].pinFile", "unknown key"),
    (
      #"{"adapters":[{"ble":"AA:BB:CC:00:00:01","pin":"1234","pinFile":"pin"}]}"#, "adapters[0].pinFile",
      "either \"pin\" or \"pinFile\""
    ),
    (#"{"adapters":[{"tcp":"host:0"}]}"#, "adapters[0].tcp", "a port from 1 to 65535"),
    (#"{"gps":[{"device":"/dev/a","gpsd":"b"}]}"#, "gps[0]", "either \"device\" or \"gpsd\""),
    (#"{"sinks":[]}"#, "sinks", "1 to 32 sinks"),
    (#"{"sinks":[{"type":"stdout"},{"type":"stdout"}]}"#, "sinks[1]", "a \"name\" of its own"),
    (#"{"spool":{"commitPeriod":0}}"#, "spool.commitPeriod", "0.1"),
    (#"{"spool":{"megabytes":1}}"#, "spool.megabytes", "4"),
    (#"{"sinks":[{"type":"kafka"}]}"#, "sinks[0].type", "stdout"),
    (#"{"sinks":[{"type":"file"}]}"#, "sinks[0]", "key \"path\" is missing"),
    (#"{"sinks":[{"type":"mqtt","url":"http://x"}]}"#, "sinks[0].url", "mqtt://"),
    (#"{"sinks":[{"type":"fleetStore","url":"http://me:secret@x/api"}]}"#, "sinks[0].url", "tokenFile"),
    (#"{"gatewayId":"a b"}"#, "gatewayId", "letters, digits"), (#"{"gatewayId":".."}"#, "gatewayId", "letters, digits"),
    (#"{"vehicle":{"id":"."}}"#, "vehicle.id", "letters, digits"),
    (#"{"vehicle":{"fuel":"coal"}}"#, "vehicle.fuel", "gasoline"),
    (#"{"vehicle":{"displacement":1600}}"#, "vehicle.displacement", "from 0.1 to 30"),
    (#"{"a":1"#, "1:7", "expected"),
    ("[]", "1:1", "an object"),
  ])
  func a_configuration_error_has_its_position_and_the_expected_value(
    _ row: (text: String, place: String, right: String)
  ) {
    let message = refusal(row.text) ?? "accepted"
    #expect(message.hasPrefix("gateway.json:"), "\(message)")
    #expect(message.contains(row.place), "\(message)")
    #expect(message.contains(row.right), "\(message)")
    #expect(!message.contains("secret"), "a secret in a message: \(message)")
    #expect(!message.contains("\n"))
  }

  @Test func two_mqtt_sinks_on_one_broker_have_client_ids_of_their_own() throws {
    let text = #"""
      {"sinks": [{"type": "mqtt", "url": "mqtt://a"}, {"type": "mqtt", "name": "two", "url": "mqtt://a"}]}
      """#
    let ids = try read(text).sinks.map { sink -> String? in
      if case .mqtt(let broker) = sink { broker.clientId(of: "gw-17") } else { nil }
    }
    #expect(ids == ["obdgate-gw-17", "obdgate-gw-17@two"])
  }

  @Test(arguments: [
    // Both sinks have the same explicit ID, and one broker is written in another form.
    (#""sinks": [{"type": "mqtt", "url": "mqtt://a", "clientId": "x"}, "#, "mqtt://A:1883", "x"),
    (#""sinks": [{"type": "mqtt", "url": "mqtt://a", "clientId": "x"}, "#, "mqtts://a:1883", "x"),
    // The explicit ID is the default of the other sink.
    (#""gatewayId": "gw-17", "sinks": [{"type": "mqtt", "url": "mqtt://a"}, "#, "mqtt://a", "obdgate-gw-17"),
  ])
  func a_client_id_that_two_sinks_of_a_broker_share_is_refused(_ head: String, _ url: String, _ id: String) throws {
    let start = "{\(head){\"type\": \"mqtt\", \"name\": \"two\", \"url\": \"\(url)\", \"clientId\": "
    let said = try #require(refusal("\(start)\"\(id)\"}]}"))
    #expect(
      said.hasPrefix("gateway.json:1:\(start.utf8.count + 1): sinks[1].clientId: expected a client ID"), "\(said)")
    #expect(said.contains("\"two\"") && said.contains("\"mqtt\"") && said.contains("\"\(id)\""), "\(said)")
    // The same ID may be used at another broker.
    let other = "{\(head){\"type\": \"mqtt\", \"name\": \"two\", \"url\": \"mqtt://b\", \"clientId\": "
    #expect(refusal("\(other)\"\(id)\"}]}") == nil)
  }

  @Test(
    arguments: [
      (#"{"sinks": [{"type": "stdout"}, \#(store("a")), \#(store("b"))]}"#, 1),
      (#"{"sinks": [\#(store("a")), \#(store("b", ", \"geofencePeriod\": 10"))]}"#, 1),
      (#"{"geofences": "f.json", "sinks": [\#(store("a")), \#(store("b"))]}"#, nil),
      (#"{"geofences": "f.json", "sinks": [\#(store("a", ", \"geofencePeriod\": 10"))]}"#, 0),
      (#"{"sinks": [{"type": "mqtt", "url": "mqtt://a"}]}"#, nil),
    ] as [(String, Int?)])
  func geofences_come_from_one_fleet_store(_ text: String, _ source: Int?) throws {
    #expect(try read(text).fenceSource == source)
  }

  private static func store(_ name: String, _ more: String = "") -> String {
    #"{"type": "fleetStore", "name": "\#(name)", "url": "https://\#(name)/api"\#(more)}"#
  }

  @Test func two_sinks_that_fetch_geofences_are_refused() throws {
    let period = #", "geofencePeriod": 10"#
    let said = try #require(refusal(#"{"sinks": [\#(Self.store("a", period)), \#(Self.store("b", period))]}"#))
    #expect(said.contains("sinks[1].geofencePeriod: expected \"geofencePeriod\" at one sink only"), "\(said)")
    #expect(said.contains("\"a\"") && said.contains("\"b\""), "\(said)")
  }

  @Test(arguments: [
    (
      #"{"unknownKey": 1, "gatewayId": "a b", "record": {"period": 0, "on": "x"}}"#,
      ["1:2: unknownKey", "1:32: gatewayId", "1:60: record.period", "1:69: record.on"]
    ),
    (
      #"{"sinks": [], "spool": {"megabytes": 1}, "gatewayId": ""}"#,
      ["1:11: sinks", "1:38: spool.megabytes", "1:55: gatewayId"]
    ),
    (
      #"{"record": {"period": 0}, "adapters": [{}, {"device": "a", "baud": 1, "pin": 1}], "gatewayId": 1}"#,
      [
        "1:23: record.period", "1:40: adapters[0]", "1:68: adapters[1].baud", "1:71: adapters[1].pin",
        "1:96: gatewayId",
      ]
    ),
    (
      #"{"sinks": [{"type": "mqtt", "url": "mqtt://h", "keepAlive": 1, "window": 99, "x": 1}, {"type": "x"}]}"#,
      ["1:61: sinks[0].keepAlive", "1:74: sinks[0].window", "1:78: sinks[0].x", "1:96: sinks[1].type"]
    ),
    (
      #"{"sinks": [{"type": "mqtt", "url": "x", "keepAlive": 1, "y": 1}], "adapters": [{"tcp": "", "protocol": 0, "z": 1}]}"#,
      [
        "1:36: sinks[0].url", "1:54: sinks[0].keepAlive", "1:57: sinks[0].y", "1:88: adapters[0].tcp",
        "1:104: adapters[0].protocol", "1:107: adapters[0].z",
      ]
    ),
    // The name may belong to the signal set, which cannot be read.
    (#"{"poll": {"signals": {"X_Y": 1}}, "signalSets": [1]}"#, ["1:50: signalSets[0]"]),
  ])
  func every_fault_is_reported_in_the_order_of_the_file(_ text: String, _ places: [String]) throws {
    let error = try #require(throws: ConfigurationError.self) { try read(text, file: "gateway.json") }
    let found = error.lines.map { $0.split(separator: ": ").prefix(2).joined(separator: ": ") }
    #expect(found == places.map { "gateway.json:\($0)" }, "\(error.lines)")
  }
}
