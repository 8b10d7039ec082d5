/// Metrics in the text format of Prometheus, version 0.0.4
/// (https://prometheus.io/docs/instrumenting/exposition_formats/).
///
///     # HELP obdgate_records_total Records made.
///     # TYPE obdgate_records_total counter
///     obdgate_records_total{type="trip"} 4711
///
/// Call ``family(_:_:_:)`` for each metric, and then a function `sample` for each of its values.
public struct PrometheusText: Sendable {
  /// The type of a metric.
  public enum Kind: String, Sendable { case counter, gauge }

  /// The text written so far.
  public private(set) var bytes: [UInt8] = []
  private var name = ""

  /// Creates an empty text.
  public init() {}

  /// Begins a metric, to which the following samples belong.
  ///
  /// - Parameter help: description of the metric, one text line without a backslash.
  public mutating func family(_ name: String, _ kind: Kind, _ help: String) {
    self.name = name
    put("# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n")
  }

  /// Writes an integer as one value of the current metric.
  public mutating func sample(count: some BinaryInteger, _ labels: [(String, String)] = []) {
    sample("\(count)", labels)
  }

  /// Writes one value of the current metric.
  public mutating func sample(_ value: Double, _ labels: [(String, String)] = []) {
    sample(value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)", labels)
  }

  private mutating func sample(_ value: String, _ labels: [(String, String)]) {
    put(name)
    if !labels.isEmpty {
      let list = labels.map { "\($0)=\"\(Self.escaped($1))\"" }
      put("{\(list.joined(separator: ","))}")
    }
    put(" \(value)\n")
  }

  /// Returns the value of a label with backslash, quote and line feed escaped.
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
