import Telemetry

/// Writes the text format that Prometheus reads: a family's name, kind and help once, then its samples.
struct PrometheusText: ~Copyable {
  enum Kind: String { case counter, gauge }

  private(set) var bytes: [UInt8] = []
  private var name = ""

  /// - Parameter help: one line, without a backslash.
  mutating func family(_ name: StaticString, _ kind: Kind, _ help: StaticString) {
    self.name = "\(name)"
    put("# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n")
  }

  mutating func sample(count: UInt64, _ labels: [(String, String)] = []) { sample("\(count)", labels) }

  mutating func sample(_ value: Double, _ labels: [(String, String)] = []) {
    sample(value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)", labels)
  }

  private mutating func sample(_ value: String, _ labels: [(String, String)]) {
    put(name)
    if !labels.isEmpty {
      put("{")
      for (index, label) in labels.enumerated() {
        put(index == 0 ? "" : ",")
        put("\(label.0)=\"\(Self.escaped(label.1))\"")
      }
      put("}")
    }
    put(" \(value)\n")
  }

  /// Backslash, quote and line feed have to be escaped in a label's value.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\"": escaped += "\\\""
      case "\n": escaped += "\\n"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  private mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }
}
