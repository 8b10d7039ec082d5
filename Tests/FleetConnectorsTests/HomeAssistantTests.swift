import FleetDomain
import Telemetry
import Testing

@testable import FleetConnectors
@testable import FleetProviders

/// The messages for Home Assistant. The rules are those of its documentation of MQTT discovery and of sensors.
@Suite struct HomeAssistantTests {
  private static let now = Timestamp(nanoseconds: 1_730_457_700_000_000_000)
  private static let address = MQTTAddress("mqtts://fleet@broker.example/vans")!
  private static let van = HomeAssistantDevice(id: "VAN 1", name: "Blue van", make: "VW", model: "Crafter")

  private static func record(_ values: [String: JSON], vehicle: String = "VAN 1", second: Int = 0) throws
    -> ForwardedRecord
  {
    let body = #"{"type":"telemetry","seq":1,"vehicleId":"x","gatewayId":"gw-1"}"#
    let stored = StoredRecord(
      vehicle: vehicle, recordClass: .known(.telemetry), id: UUIDv7(milliseconds: 1, first: 1, rest: 1),
      time: now.adding(seconds: second), quality: .gps, body: Array(body.utf8))
    var record = try #require(ForwardedRecord(stored))
    record.values = values
    return record
  }

  private static func batch(
    _ records: [ForwardedRecord], after published: PublishedTopics = PublishedTopics(), at now: Timestamp = Self.now
  ) -> HomeAssistantBatch {
    var batch = HomeAssistantBatch(to: address, ["VAN 1": van], after: published, at: now)
    for record in records { batch.add(record) }
    return batch
  }

  private static func texts(_ batch: HomeAssistantBatch) -> [String: String] {
    Dictionary(
      uniqueKeysWithValues: batch.messages.map { ($0.topic, String(decoding: $0.payload, as: UTF8.self)) })
  }

  @Test func each_value_has_a_discovery_message_and_a_state() throws {
    let values: [String: JSON] = [
      "speed": .integer(50), "odometer": .number(14_010.5), "mil": .bool(true), "depot": .text("Wien \"Süd\""),
    ]
    let device =
      #""availability_topic":"vans/VAN_201/availability/state","device":{"identifiers":["vans__VAN_201"],"#
      + #""manufacturer":"VW","model":"Crafter","name":"Blue van"}"#
    let origin = #""origin":{"name":"fleetstore"}"#
    #expect(
      Self.texts(Self.batch([try Self.record(values)])) == [
        "homeassistant/binary_sensor/vans__VAN_201/mil/config": #"{\#(device),"device_class":"problem","#
          + #""name":"Malfunction indicator lamp commanded on",\#(origin),"payload_off":"false","payload_on":"true","#
          + #""state_topic":"vans/VAN_201/mil","unique_id":"vans__VAN_201__mil"}"#,
        "homeassistant/sensor/vans__VAN_201/depot/config": #"{\#(device),"expire_after":900,"name":"depot",\#(origin),"#
          + #""state_topic":"vans/VAN_201/depot","unique_id":"vans__VAN_201__depot"}"#,
        "homeassistant/sensor/vans__VAN_201/odometer/config": #"{\#(device),"device_class":"distance","#
          + #""name":"Odometer",\#(origin),"state_class":"total_increasing","state_topic":"vans/VAN_201/odometer","#
          + #""unique_id":"vans__VAN_201__odometer","unit_of_measurement":"km"}"#,
        "homeassistant/sensor/vans__VAN_201/speed/config": #"{\#(device),"device_class":"speed","expire_after":900,"#
          + #""name":"Vehicle speed",\#(origin),"state_class":"measurement","#
          + #""state_topic":"vans/VAN_201/speed","unique_id":"vans__VAN_201__speed","unit_of_measurement":"km/h"}"#,
        "vans/VAN_201/mil": "true", "vans/VAN_201/depot": #"Wien "Süd""#, "vans/VAN_201/odometer": "14010.5",
        "vans/VAN_201/speed": "50", "vans/VAN_201/availability/state": "online",
      ])
  }

  @Test func a_position_belongs_to_a_device_tracker() throws {
    let texts = Self.texts(
      Self.batch([
        try Self.record(["latitude": .number(48.2), "longitude": .number(16.4), "accuracy": .integer(8)])
      ]))
    #expect(texts.count == 3 && texts["vans/VAN_201/availability/state"] == "online")
    let topic = "homeassistant/device_tracker/vans__VAN_201/position/config"
    let discovery = try JSON(parsing: Array((texts[topic] ?? "").utf8))
    #expect(discovery["json_attributes_topic"] == .text("vans/VAN_201/position/attributes"))
    #expect(discovery["source_type"] == .text("gps") && discovery["state_topic"] == nil)
    let attributes = try JSON(parsing: Array((texts["vans/VAN_201/position/attributes"] ?? "").utf8))
    #expect(attributes["latitude"] == .number(48.2) && attributes["longitude"] == .number(16.4))
    #expect(attributes["gps_accuracy"] == .integer(8) && attributes["altitude"] == nil)
    // Without a longitude, there is no position.
    #expect(Self.batch([try Self.record(["latitude": .number(48.2)])]).messages.isEmpty)
  }

  @Test func values_that_are_unknown_or_cannot_be_shown_are_absent() throws {
    let record = try Self.record([
      "a": .null, "b": .array([]), "c": .object([:]), "d": .text(""), "e": .text(String(repeating: "x", count: 256)),
      String(repeating: "k", count: 101): .integer(1),
    ])
    let batch = Self.batch([record])
    #expect(batch.messages.isEmpty && batch.records == 0)
  }

  /// The names of members, and which of them each integration requires, in the documentation of Home Assistant.
  @Test func discovery_messages_agree_with_the_documentation() throws {
    let all: Set = ["name", "unique_id", "device", "origin", "availability_topic"]
    let common = all.union(["expire_after", "device_class"])
    let documented: [String: (required: Set<String>, optional: Set<String>)] = [
      "sensor": (["state_topic"], common.union(["state_class", "unit_of_measurement"])),
      "binary_sensor": (["state_topic"], common.union(["payload_on", "payload_off"])),
      "device_tracker": (["json_attributes_topic"], all.union(["source_type"])),
    ]
    // Some units of the device classes, and the classes that allow totals.
    let units: [String: Set<String>] = [
      "speed": ["km/h", "m/s", "mph"], "temperature": ["°C", "°F", "K"], "voltage": ["V", "mV"],
      "current": ["A", "mA"],
      "pressure": ["Pa", "hPa", "kPa", "bar", "psi"], "distance": ["mm", "cm", "m", "km", "mi"],
      "duration": ["ms", "s", "min", "h", "d"], "power": ["W", "kW"], "frequency": ["Hz", "kHz"],
    ]
    let withTotals: Set = ["distance", "duration"]
    var values: [String: JSON] = ["other": .integer(1), "latitude": .number(1), "longitude": .number(2)]
    for field in RecordField.contract + RecordField.otherSignals where field.types.contains(RecordTypes.telemetry) {
      switch field.values {
      case .number, .integer: values[field.name] = .integer(1)
      case .flag: values[field.name] = .bool(true)
      case .text, .code: values[field.name] = .text("x")
      default: break
      }
    }
    let batch = Self.batch([try Self.record(values)])
    var ids: Set<String> = []
    for message in batch.messages where message.topic.hasPrefix("homeassistant/") {
      let parts = message.topic.split(separator: "/").map(String.init)
      let rule = try #require(documented[parts[1]])
      let json = try JSON(parsing: message.payload)
      let names = Set(json.members.keys)
      #expect(rule.required.isSubset(of: names) && names.isSubset(of: rule.required.union(rule.optional)), "\(names)")
      #expect(names.isSuperset(of: all), "\(message.topic)")
      #expect(json["device"]?["identifiers"] == .array([.text("vans__VAN_201")]))
      #expect(json["origin"]?["name"]?.textValue?.isEmpty == false)
      let isNew = ids.insert("\(parts[1]) \(json["unique_id"]?.textValue ?? "")").inserted
      #expect(isNew, "\(message.topic)")
      if parts[1] == "sensor", let kind = json["device_class"]?.textValue {
        #expect(units[kind]?.contains(json["unit_of_measurement"]?.textValue ?? "") ?? false, "\(message.topic)")
        #expect(json["state_class"] == .text("measurement") || withTotals.contains(kind), "\(message.topic)")
      }
    }
    #expect(ids.count > 100, "\(ids.count)")
  }

  @Test(arguments: [
    "+", "#", "a/b", "../x", "$SYS", "a\u{0}b", "Ä", "a b", "_", "a_b", "A__B", "_5f", "homeassistant",
    "x\",\"state_topic\":\"y",
  ])
  func no_id_leaves_its_level(_ id: String) throws {
    let topics = HomeAssistantTopics(HomeAssistantDevice(id: id), prefix: "vans")
    let entity = try #require(HomeAssistantEntity(id, .integer(1)))
    let discovery = topics.discovery(id, entity)
    func isLevel(_ text: Substring) -> Bool {
      !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    }
    for (topic, count) in [
      (topics.state(id), 3), (topics.availability(isOnline: true).topic, 4), (discovery.topic, 5),
      (topics.trackerDiscovery.topic, 5),
    ] {
      let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
      #expect(levels.count == count && levels.allSatisfy(isLevel), "\(topic)")
    }
    let json = try JSON(parsing: discovery.payload)
    #expect(json["state_topic"] == .text(topics.state(id)) && json["device"]?["name"] == .text(id))
  }

  @Test func different_ids_have_different_levels() {
    let ids = ["a b", "a_b", "a_20b", "a__b", "a/b", "ab", "A b", "a+b", "a-b"]
    #expect(Set(ids.map(HomeAssistantTopics.level)).count == ids.count)
    // A prefix and an ID cannot be divided in another way.
    #expect(
      HomeAssistantTopics(HomeAssistantDevice(id: "c"), prefix: "a__b").trackerDiscovery.topic
        != HomeAssistantTopics(HomeAssistantDevice(id: "b__c"), prefix: "a").trackerDiscovery.topic)
  }

  @Test func only_the_newest_value_of_a_topic_is_sent() throws {
    let first = Self.batch([
      try Self.record(["speed": .integer(1), "rpm": .integer(900)]), try Self.record(["speed": .integer(3)], second: 2),
      try Self.record(["speed": .integer(2)], second: 1),
    ])
    #expect(first.records == 3 && first.messages.count == 5)
    #expect(Self.texts(first)["vans/VAN_201/speed"] == "3" && Self.texts(first)["vans/VAN_201/rpm"] == "900")
    // A late record changes only what the broker does not have. Known discovery messages are not repeated.
    let late = Self.batch(
      [try Self.record(["speed": .integer(9), "fuelLevel": .integer(54)], second: 1)], after: first.published)
    #expect(
      Self.texts(late).keys.sorted() == [
        "homeassistant/sensor/vans__VAN_201/fuelLevel/config", "vans/VAN_201/fuelLevel",
      ])
  }

  @Test func discovery_messages_are_repeated_when_the_broker_may_have_lost_them() throws {
    let record = try Self.record(["speed": .integer(1)])
    let first = Self.batch([record])
    #expect(first.messages.count == 3)
    func count(_ published: PublishedTopics, after seconds: Int) -> Int {
      Self.batch([record], after: published, at: Self.now.adding(seconds: seconds)).messages.count
    }
    #expect(count(first.published, after: 599) == 1 && count(first.published, after: 600) == 3)
    var forgotten = first.published
    forgotten.forgetDiscoveries()
    #expect(count(forgotten, after: 1) == 3)
    // The vehicle has a new name.
    var renamed = HomeAssistantBatch(
      to: Self.address, ["VAN 1": HomeAssistantDevice(id: "VAN 1", name: "Red van")], after: first.published,
      at: Self.now)
    renamed.add(record)
    #expect(renamed.messages.count == 2)
  }

  /// A record that arrives after a day does not show that its vehicle sends records now.
  @Test func only_a_recent_record_makes_a_vehicle_available() throws {
    func availability(_ seconds: Int) throws -> String? {
      let batch = Self.batch([try Self.record(["speed": .integer(1)], second: seconds)])
      return Self.texts(batch)["vans/VAN_201/availability/state"]
    }
    #expect(try availability(-86_400) == "online" && availability(-86_401) == nil)
  }

  @Test func the_number_of_entities_of_a_vehicle_is_limited() throws {
    let batch = Self.batch([
      try Self.record(Dictionary(uniqueKeysWithValues: (1_000..<1_510).map { ("key\($0)", .integer(1)) }))
    ])
    // A discovery message and a value of each entity, and the availability.
    #expect(batch.messages.count == 2 * 500 + 1 && batch.entities["VAN 1"]?.count == 500)
    #expect(batch.ignored == ["value of a vehicle with more than 500 different values": 10])
    // Entities that are known are still published.
    var next = HomeAssistantBatch(
      to: Self.address, ["VAN 1": Self.van], entities: batch.entities, after: batch.published, at: Self.now)
    next.add(try Self.record(["key1000": .integer(2), "key1509": .integer(2)]))
    #expect(Self.texts(next).keys.sorted() == ["vans/VAN_201/key1000"])
  }

  @Test func the_topics_of_entities_are_those_of_the_messages() throws {
    let batch = Self.batch([
      try Self.record([
        "speed": .integer(50), "mil": .bool(true), "a/b_c": .text("x"), "latitude": .number(48.2),
        "longitude": .number(16.4),
      ])
    ])
    let entities = batch.entities["VAN 1"] ?? []
    #expect(entities == ["sensor/speed", "binary_sensor/mil", "sensor/a/b_c", "device_tracker/position"])
    let topics = HomeAssistantTopics(Self.van, prefix: "vans").all(of: entities.sorted())
    #expect(topics.sorted() == batch.messages.map(\.topic).sorted() && topics.count == 9)
  }

  @Test func a_vehicle_that_was_removed_is_not_published() throws {
    let batch = Self.batch([try Self.record(["speed": .integer(50)], vehicle: "VAN 2")])
    #expect(batch.messages.isEmpty && batch.records == 0)
  }

  @Test func the_memory_of_topics_is_bounded() throws {
    let memory = PublishedMemory(most: 8)
    let topics = Self.batch([try Self.record(["speed": .integer(1)])]).published
    for name in ["a", "b", "c"] { memory.set(topics, of: name) }
    #expect(["a", "b", "c"].map { memory.topics(of: $0).count } == [0, 3, 3])
    memory.set(topics, of: "b")
    memory.set(topics, of: "d")
    #expect(["b", "c", "d"].map { memory.topics(of: $0).count } == [3, 0, 3])
  }

  @Test(
    arguments: [
      ("mqtts://fleet@broker.example/vans", "broker.example 8883 true fleet vans"),
      ("mqtt://192.168.1.4:1884/vans/depot-1", "192.168.1.4 1884 false - vans/depot-1"),
      ("mqtts://a%40b@[2001:db8::1]:9/x_y.z~/", "2001:db8::1 9 true a@b x_y.z~"),
      ("mqtts://broker.example", nil), ("mqtts://broker.example/", nil), ("mqtts://u:secret@broker.example/x", nil),
      ("mqtts://@broker.example/x", nil), ("mqtts://broker.example/a//b", nil), ("mqtts://broker.example/a/+", nil),
      ("mqtts://broker.example/a/#", nil), ("mqtts://broker.example/$SYS", nil), ("mqtts://broker.example/a%2Fb", nil),
      ("mqtts://broker.example/homeassistant/x", nil), ("https://broker.example/x", nil),
      ("mqtts://u%00@broker.example/x", nil),
      ("mqtts://broker.example/a?b=c", nil), ("mqtts:broker.example/x", nil),
    ] as [(String, String?)])
  func an_address_names_broker_user_and_prefix(_ text: String, _ expected: String?) {
    let address = MQTTAddress(text)
    #expect(
      address.map { "\($0.host) \($0.port) \($0.usesTLS) \($0.user ?? "-") \($0.prefix)" } == expected, "\(text)")
  }

  @Test func private_networks_are_allowed_only_if_configured() {
    func isAllowed(_ text: String, _ mayUsePrivate: Bool) -> Bool {
      MQTTAddress.isAllowed(text, mayUsePrivate: mayUsePrivate)
    }
    for host in ["127.0.0.1", "localhost", "10.0.0.1", "[::1]", "192.168.1.1", "169.254.169.254"] {
      #expect(!isAllowed("mqtts://\(host)/x", false) && isAllowed("mqtts://\(host)/x", true), "\(host)")
      #expect(!isAllowed("mqtt://\(host)/x", false) && isAllowed("mqtt://\(host)/x", true), "\(host)")
    }
    #expect(isAllowed("mqtts://broker.example/x", false) && isAllowed("mqtts://9.9.9.9/x", false))
    // Without TLS, the password would be readable on the Internet.
    #expect(!isAllowed("mqtt://broker.example/x", false) && !isAllowed("mqtt://9.9.9.9/x", true))
    #expect(!isAllowed("mqtts://127.1/x", true))
  }

  @Test func a_prefix_belongs_to_one_tenant() throws {
    let (acme, other) = (try #require(TenantID("acme")), try #require(TenantID("other")))
    func address(_ prefix: String) throws -> MQTTAddress {
      try #require(MQTTAddress("mqtts://broker.example/\(prefix)"))
    }
    for prefix in ["~acme", "~acme/vans", "~acme/~other"] {
      let address = try address(prefix)
      #expect(address.isAllowed(for: acme) && address.isUsable(by: acme), "\(prefix)")
      for tenant in [other, .standard] {
        #expect(!address.isAllowed(for: tenant) && !address.isUsable(by: tenant), "\(prefix) \(tenant)")
      }
    }
    // Earlier versions accepted prefixes without a tenant.
    for prefix in ["vans", "acme", "vans/~acme"] {
      let address = try address(prefix)
      #expect(address.isAllowed(for: .standard) && !address.isAllowed(for: acme), "\(prefix)")
      #expect(address.isUsable(by: .standard) && address.isUsable(by: acme), "\(prefix)")
    }
  }

  @Test func the_addresses_of_a_name_are_checked() throws {
    let all = [CheckedHost.Address(text: "10.0.0.1", isPrivate: true), .init(text: "9.9.9.9", isPrivate: false)]
    func allowed(_ all: [CheckedHost.Address], _ isEncrypted: Bool, _ mayUsePrivate: Bool) throws -> [String] {
      try CheckedHost.allowed(all, isEncrypted: isEncrypted, mayUsePrivate: mayUsePrivate).map(\.text)
    }
    #expect(try allowed(all, true, true) == ["10.0.0.1", "9.9.9.9"])
    #expect(try allowed(all, true, false) == ["9.9.9.9"] && allowed(all, false, true) == ["10.0.0.1"])
    #expect(throws: ProviderFailure.self) { try allowed([all[0]], true, false) }
    #expect(throws: ProviderFailure.self) { try allowed([all[1]], false, true) }
    let found = try CheckedHost.addresses(of: "localhost", isEncrypted: false, mayUsePrivate: true, within: 60)
    #expect(!found.isEmpty && found.allSatisfy(\.isPrivate), "\(found)")
  }
}
