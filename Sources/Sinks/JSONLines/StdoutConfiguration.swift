import JSONText

/// `{ "type": "stdout" }`
public struct StdoutConfiguration: Equatable, Sendable {
  /// Nil: `stdout`.
  public var name: String?
  /// Whether it gets the names of COVESA VSS 6.0.
  public var usesVSS = false

  public init() {}

  init(_ reader: inout JSONObjectReader) throws(JSONError) {
    name = try reader.sinkName()
    usesVSS = try reader.sinkUsesVSS()
  }
}
