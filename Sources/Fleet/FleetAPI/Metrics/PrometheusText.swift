/// Metrics in Prometheus' text format 0.0.4.
///
///     # HELP fleetstore_records_stored_total Records stored since the start.
///     # TYPE fleetstore_records_stored_total counter
///     fleetstore_records_stored_total 4711
struct PrometheusText {
  enum Kind: String { case counter, gauge }

  private(set) var text = ""

  /// One metric without labels.
  mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
    head(name, kind, help)
    text += "\(name) \(value)\n"
  }

  /// The two lines in front of a metric's values.
  mutating func head(_ name: String, _ kind: Kind, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  /// A value with labels.
  mutating func value(_ name: String, _ labels: [(String, String)], _ value: some CustomStringConvertible) {
    let list = labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
    text += "\(name){\(list)} \(value)\n"
  }

  private static func escaped(_ text: String) -> String {
    var out = ""
    for character in text {
      switch character {
      case "\\": out += "\\\\"
      case "\"": out += "\\\""
      case "\n": out += "\\n"
      default: out.append(character)
      }
    }
    return out
  }
}
