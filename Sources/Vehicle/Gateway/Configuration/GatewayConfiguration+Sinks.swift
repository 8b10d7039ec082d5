import JSONText
import Sinks

extension GatewayConfiguration {
  /// Reads the array `sinks`. It must have 1 to 32 sinks with different names.
  static func sinks(_ value: JSONValue, _ folder: String) throws(JSONError) -> [SinkConfiguration] {
    let elements = try value.requireArray()
    guard (1...32).contains(value.count) else {
      throw value.invalid(expected: "1 to 32 sinks", found: "\(value.count)")
    }
    var sinks: [SinkConfiguration] = []
    for element in elements {
      let sink = try SinkConfiguration(element, folder: folder)
      guard !sinks.contains(where: { $0.name == sink.name }) else {
        throw element.invalid(expected: "a \"name\" of its own: another sink is called \"\(sink.name)\"")
      }
      if case .file(let file) = sink, sinks.contains(where: { $0.writes(to: file.path) }) {
        throw (element["path"] ?? element).invalid(
          expected: "a file of its own", found: "one that another sink writes to")
      }
      if let other = sinks.first(where: \.setsFencePeriod), sink.setsFencePeriod {
        throw (element["geofencePeriod"] ?? element).invalid(
          expected: "\"geofencePeriod\" at one sink only, as one set of geofences applies",
          found: "it at \(JSONError.quoted(sink.name)) as well as at \(JSONError.quoted(other.name))")
      }
      sinks.append(sink)
    }
    return sinks
  }

  /// Rejects two sinks that use the same client ID with the same broker. A broker disconnects a client when another
  /// client connects with the same ID (MQTT 5, section 3.1.4).
  ///
  /// - Parameter value: the array `sinks`.
  func refuseSharedClientIds(_ value: JSONValue) throws(JSONError) {
    var earlier: [(name: String, broker: MQTTConfiguration, clientId: String)] = []
    for (index, sink) in sinks.enumerated() {
      // If no gateway ID is configured, a default client ID contains a hash, so it cannot equal a configured client ID.
      guard case .mqtt(let broker) = sink, let id = broker.clientId ?? gatewayId.map(broker.clientId(of:)) else {
        continue
      }
      if let other = earlier.first(where: { $0.clientId == id && $0.broker.url.isSameServer(as: broker.url) }) {
        let element = value[index] ?? value
        throw (element["clientId"] ?? element).invalid(
          expected: "a client ID that only sink \(JSONError.quoted(sink.name)) uses at \(broker.url)",
          found: "\(JSONError.quoted(id)), which sink \(JSONError.quoted(other.name)) uses as well")
      }
      earlier.append((sink.name, broker, id))
    }
  }

  /// Index of the fleet store sink from whose server the geofences are fetched; `nil` if they are not fetched. This is
  /// the sink for which `geofencePeriod` is configured. If there is no such sink and the configuration has no
  /// geofences, it is the first fleet store.
  var fenceSource: Int? {
    if let chosen = sinks.firstIndex(where: \.setsFencePeriod) { return chosen }
    return geofences == nil ? sinks.firstIndex(where: \.fetchesFences) : nil
  }
}

extension SinkConfiguration {
  /// Whether geofences can be fetched from this sink's server.
  var fetchesFences: Bool { if case .fleetStore = self { true } else { false } }

  /// Whether `geofencePeriod` is configured for this sink.
  fileprivate var setsFencePeriod: Bool {
    if case .fleetStore(let store) = self { store.fencePeriod != nil } else { false }
  }

  fileprivate func writes(to path: String) -> Bool {
    if case .file(let file) = self { file.path.standardPath == path.standardPath } else { false }
  }
}

extension GatewayConfiguration.SpoolBounds {
  init(_ reader: inout JSONObjectReader) throws(JSONError) {
    commitPeriod = try reader.optionalDouble("commitPeriod", in: 0.1...3_600) ?? commitPeriod
    megabytes = try reader.optionalDouble("megabytes", in: 4...1_000_000) ?? megabytes
    days = try reader.optionalDouble("days", in: 0.01...36_500)
    try reader.finish()
  }
}
