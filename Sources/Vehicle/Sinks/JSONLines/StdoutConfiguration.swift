import JSONText

/// Configuration of a ``StdoutSink``: `{ "type": "stdout" }`.
public struct StdoutConfiguration: Equatable, Sendable {
  /// Name of the sink; `nil` for `stdout`.
  public var name: String?
  /// Whether records use signal names of COVESA VSS 6.0.
  public var usesVSS = false

  /// Creates the default configuration.
  public init() {}

  init(_ reader: inout JSONObjectReader) throws(JSONError) {
    name = try reader.sinkName()
    usesVSS = try reader.sinkUsesVSS()
  }
}
