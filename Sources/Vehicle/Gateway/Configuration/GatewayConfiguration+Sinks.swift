import JSONText
import Sinks

extension GatewayConfiguration {
  /// Parses the sinks: 1 to 32, each with a unique name.
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
      sinks.append(sink)
    }
    return sinks
  }
}

extension SinkConfiguration {
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
