import JSONText

/// Configuration of a ``StdoutSink``: `{ "type": "stdout" }`.
public struct StdoutConfiguration: Equatable, Sendable {
  /// The sink's name; `nil` for the name `stdout`.
  public var name: String?
  /// Whether the sink's records use the signal names of COVESA VSS 6.0.
  public var usesVSS = false

  /// Creates the default configuration.
  public init() {}

  init(_ reader: inout JSONObjectReader) throws(JSONError) {
    name = try reader.sinkName()
    usesVSS = try reader.sinkUsesVSS()
  }
}
