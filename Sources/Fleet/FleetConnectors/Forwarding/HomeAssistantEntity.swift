import FleetDomain

/// A value of vehicles as an entity of Home Assistant.
///
/// Home Assistant's documentation of the integrations MQTT and Sensor defines the names of device classes, the units,
/// and the members of discovery messages.
struct HomeAssistantEntity: Equatable, Sendable {
  /// The integration to which the entity belongs.
  enum Component: String, Sendable {
    case sensor
    case binarySensor = "binary_sensor"
    case tracker = "device_tracker"
  }

  /// The time after which Home Assistant no longer shows a value that is not updated, s.
  static let expiry: Int64 = 900
  /// The maximum length of the state of an entity, in Unicode scalars.
  static let longestState = 255

  let component: Component
  /// The members of the discovery message that depend only on the key and the type of the value.
  let members: [String: JSON]
  /// The text of the value.
  let state: String

  /// Creates the entity for a value of a record; `nil` for a value that Home Assistant cannot show: an array, an
  /// object, an empty text, or a text that is too long.
  init?(_ key: String, _ value: JSON) {
    let field = Self.fields[key]
    var members: [String: JSON] = ["name": .text(field?.title ?? key)]
    switch value {
    case .bool(let flag):
      (component, state) = (.binarySensor, flag ? "true" : "false")
      members["payload_on"] = .text("true")
      members["payload_off"] = .text("false")
      if key == "mil" { members["device_class"] = .text("problem") }
    case .integer, .number:
      (component, state) = (.sensor, value.canonicalText)
      // Home Assistant computes statistics of values that have a unit or a state class, and treats all other values as
      // texts. Set these members only for measurements: statistics of numeric codes would be meaningless.
      if let field, field.isNumber {
        members["state_class"] = .text(Self.totals.contains(key) ? "total_increasing" : "measurement")
        if !field.unit.isEmpty { members["unit_of_measurement"] = .text(field.unit) }
        members["device_class"] = Self.classes[field.unit].map { .text($0) }
      }
    case .text(let text):
      guard !text.isEmpty, text.unicodeScalars.count <= Self.longestState else { return nil }
      (component, state) = (.sensor, text)
    case .null, .array, .object: return nil
    }
    if !Self.lasting.contains(key), field?.unit != "km" { members["expire_after"] = .integer(Self.expiry) }
    self.members = members
  }

  // MARK: Tables

  private static let fields = Dictionary(
    (RecordField.contract + RecordField.otherSignals).filter { $0.types.contains(RecordTypes.telemetry) }
      .map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

  /// For each unit, the device class of values in this unit.
  private static let classes = [
    "km/h": "speed", "°C": "temperature", "V": "voltage", "mV": "voltage", "A": "current", "mA": "current",
    "kPa": "pressure", "Pa": "pressure", "bar": "pressure", "km": "distance", "m": "distance", "s": "duration",
    "min": "duration", "h": "duration", "kW": "power", "W": "power", "Hz": "frequency", "kHz": "frequency",
  ]

  /// Values that only increase.
  private static let totals: Set = ["odometer", "totalEngineRunTime", "totalIdleRunTime", "totalRunTimeWithPtoActive"]

  /// Keys of values that do not expire, because they usually do not change while the vehicle sends nothing. Distances
  /// (km) do not expire either.
  private static let lasting: Set = [
    "fuelLevel", "defLevel", "hybridBatteryPackRemainingCharge", "totalEngineRunTime", "totalIdleRunTime",
    "totalRunTimeWithPtoActive", "totalFuelUsed", "gpsOdometer", "gpsEngineRunTime", "mil", "vin", "fuelType",
  ]
}

extension RecordField {
  fileprivate var isNumber: Bool {
    switch values {
    case .number, .integer: true
    default: false
    }
  }
}
