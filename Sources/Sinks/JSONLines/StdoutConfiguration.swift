import JSONText

/// `{ "type": "stdout" }`
public struct StdoutConfiguration: Equatable, Sendable {
  /// Nil: `stdout`.
  public var name: String?

  public init() {}

  init(_ reader: inout JSONObjectReader) throws(JSONError) { name = try reader.sinkName() }
}
