import FleetDomain
import Telemetry

/// A vehicle as a device of Home Assistant.
struct HomeAssistantDevice: Equatable, Sendable {
  var id: String
  var name: String?
  var make: String?
  var model: String?

  init(id: String, name: String? = nil, make: String? = nil, model: String? = nil) {
    (self.id, self.name, self.make, self.model) = (id, name, make, model)
  }
}

/// The MQTT topics of a vehicle, and the messages for Home Assistant's MQTT discovery.
///
///     homeassistant/sensor/vans__VAN-1/speed/config             {"name":"Vehicle speed","state_topic":"vans/VAN-1/speed",…}
///     vans/VAN-1/speed                                          50
///     homeassistant/device_tracker/vans__VAN-1/position/config  {"json_attributes_topic":"vans/VAN-1/position/attributes",…}
///     vans/VAN-1/position/attributes                            {"latitude":48.2,"longitude":16.4}
///     vans/VAN-1/availability/state                             online
struct HomeAssistantTopics: Sendable {
  let device: HomeAssistantDevice
  private let node: String
  /// The first levels of the topics with the values of this vehicle, such as `vans/VAN-1`.
  private let base: String

  /// - Parameter prefix: the first levels of the topics with values (``MQTTAddress/prefix``).
  init(_ device: HomeAssistantDevice, prefix: String) {
    self.device = device
    // No level contains `__`, so different prefixes and vehicles have different nodes.
    node = "\(Self.level(prefix))__\(Self.level(device.id))"
    base = "\(prefix)/\(Self.level(device.id))"
  }

  /// The topic with the newest value of a key.
  func state(_ key: String) -> String { "\(base)/\(Self.level(key))" }

  /// The topic with the newest position.
  var attributes: String { "\(base)/position/attributes" }

  /// Returns the message that states whether the vehicle sends records (online) or is silent. Its topic has one level
  /// more than the topics of values, so that no value has the same topic.
  func availability(isOnline: Bool) -> RetainedMessage {
    RetainedMessage(topic: available, payload: Array((isOnline ? "online" : "offline").utf8))
  }

  private var available: String { "\(base)/availability/state" }

  /// Returns the name under which an entity is stored: its component, a slash, and its key.
  static func entity(_ component: HomeAssistantEntity.Component, _ key: String) -> String {
    "\(component.rawValue)/\(key)"
  }

  /// The name of the entity of the position.
  static let tracker = entity(.tracker, "position")

  /// Returns the topics of all retained messages that belong to some entities. Topics of discovery messages are first.
  ///
  /// - Parameter entities: names of entities (``entity(_:_:)``).
  func all(of entities: [String]) -> [String] {
    var (configurations, values) = ([String](), [available])
    for entity in entities.sorted() {
      let parts = entity.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, let component = HomeAssistantEntity.Component(rawValue: parts[0]) else { continue }
      configurations.append(configuration(component, Self.level(parts[1])))
      values.append(component == .tracker ? attributes : state(parts[1]))
    }
    return configurations + values
  }

  /// Returns the discovery message for a value.
  func discovery(_ key: String, _ entity: HomeAssistantEntity) -> RetainedMessage {
    var members = entity.members
    members["state_topic"] = .text(state(key))
    return discovery(entity.component, Self.level(key), members)
  }

  /// The discovery message for the position.
  var trackerDiscovery: RetainedMessage {
    discovery(
      .tracker, "position",
      ["name": .text("Position"), "source_type": .text("gps"), "json_attributes_topic": .text(attributes)])
  }

  /// Returns the position of a record in the form that Home Assistant expects; `nil` if the record has none.
  static func position(_ record: ForwardedRecord) -> JSON? {
    guard let latitude = record.values["latitude"]?.numberValue, let longitude = record.values["longitude"]?.numberValue
    else { return nil }
    var members: [String: JSON] = [
      "latitude": latitude.json, "longitude": longitude.json, "time": record.time.json,
    ]
    for (key, name) in [("accuracy", "gps_accuracy"), ("altitude", "altitude"), ("heading", "heading")] {
      members[name] = record.values[key]?.numberValue?.json
    }
    return .object(members)
  }

  /// The keys that are part of the position.
  static let place: Set = ["latitude", "longitude", "accuracy", "altitude", "heading", "trueHeading"]

  private func discovery(
    _ component: HomeAssistantEntity.Component, _ object: String, _ members: [String: JSON]
  ) -> RetainedMessage {
    var about: [String: JSON] = ["identifiers": .array([.text(node)]), "name": .text(device.name ?? device.id)]
    about["manufacturer"] = device.make.map { .text($0) }
    about["model"] = device.model.map { .text($0) }
    var members = members
    members["unique_id"] = .text("\(node)__\(object)")
    members["device"] = .object(about)
    members["origin"] = .object(["name": .text("fleetstore")])
    members["availability_topic"] = .text(available)
    return RetainedMessage(topic: configuration(component, object), payload: JSON.object(members).canonicalBytes)
  }

  private func configuration(_ component: HomeAssistantEntity.Component, _ object: String) -> String {
    "homeassistant/\(component.rawValue)/\(node)/\(object)/config"
  }

  /// Returns a text as a level of a topic. Home Assistant allows only letters, digits, `-` and `_` in the topics of
  /// discovery messages. Each byte of other characters, and `_` itself, becomes `_` with two hexadecimal digits, so
  /// that different texts have different levels.
  static func level(_ text: String) -> String {
    var level = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
        level.unicodeScalars.append(Unicode.Scalar(byte))
      default: level += "_" + Hexadecimal.text([byte])
      }
    }
    return level
  }
}
