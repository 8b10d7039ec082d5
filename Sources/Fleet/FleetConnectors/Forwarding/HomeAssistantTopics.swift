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
struct HomeAssistantTopics: Sendable {
  let device: HomeAssistantDevice
  private let node: String
  /// The levels before the values.
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
    return RetainedMessage(
      topic: "homeassistant/\(component.rawValue)/\(node)/\(object)/config",
      payload: JSON.object(members).canonicalBytes)
  }

  /// Returns a text as a level of a topic. Home Assistant allows only letters, digits, `-` and `_` in the topics of
  /// discovery messages. Each byte of other characters, and `_` itself, becomes `_` with two hexadecimal digits, so that
  /// different texts have different levels.
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
