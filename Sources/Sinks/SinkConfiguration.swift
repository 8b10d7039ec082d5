import JSONText
import Peers
import Spool

/// A sink as it is configured: one object of the configuration's `sinks`, strict.
///
///     { "type": "fleetStore", "url": "https://fleet.example/api", "tokenFile": "token" }
///
/// Secrets are never in it but in files that it names; relative paths are relative to the configuration's folder.
public enum SinkConfiguration: Equatable, Sendable {
  case stdout(StdoutConfiguration)
  case file(FileSinkConfiguration)
  case fleetStore(FleetStoreConfiguration)
  case mqtt(MQTTConfiguration)

  /// - Parameters:
  ///   - value: the object.
  ///   - folder: of the configuration file, with its slash; empty: the current one.
  /// - Throws: the first error, with its place.
  public init(_ value: JSONValue, folder: String) throws(JSONError) {
    var reader = try JSONObjectReader(value)
    switch try reader.requiredString("type", oneOf: ["stdout", "file", "fleetStore", "mqtt"]) {
    case "file": self = .file(try FileSinkConfiguration(&reader, folder: folder))
    case "fleetStore": self = .fleetStore(try FleetStoreConfiguration(&reader, folder: folder))
    case "mqtt": self = .mqtt(try MQTTConfiguration(&reader, folder: folder))
    default: self = .stdout(try StdoutConfiguration(&reader))
    }
    try reader.finish()
  }

  /// By which the spool and `gap` records know it: what is configured, else its type. No two sinks may share one.
  public var name: String {
    switch self {
    case .stdout(let sink): sink.name ?? "stdout"
    case .file(let sink): sink.name ?? "file"
    case .fleetStore(let sink): sink.name ?? "fleetStore"
    case .mqtt(let sink): sink.name ?? "mqtt"
    }
  }

  /// Whether it gets the values' names of COVESA VSS 6.0.
  public var usesVSS: Bool {
    switch self {
    case .stdout(let sink): sink.usesVSS
    case .file(let sink): sink.usesVSS
    case .fleetStore(let sink): sink.usesVSS
    case .mqtt(let sink): sink.usesVSS
    }
  }

  /// What it takes at once.
  public var limit: RecordBatch.Limit {
    switch self {
    case .stdout: StdoutSink.limit
    case .file: FileSink.limit
    case .fleetStore(let sink): RecordBatch.Limit(records: sink.gathering.records)
    case .mqtt: MQTTSink.limit
    }
  }

  /// How long telemetry waits for company.
  public var gathering: Gathering {
    switch self {
    case .stdout: Gathering(records: 1_000, interval: 0)
    case .file(let sink): sink.gathering
    case .fleetStore(let sink): sink.gathering
    case .mqtt(let sink): sink.gathering
    }
  }
}

/// Values that several sinks have.
extension JSONObjectReader {
  /// `name`: 1 to 64 letters, digits, `.`, `_` or `-`: it stands in file names.
  mutating func sinkName() throws(JSONError) -> String? {
    guard let value = optional("name") else { return nil }
    let text = try value.requireString()
    let isGood =
      (1...64).contains(text.utf8.count) && !text.hasPrefix(".")
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
      }
    guard isGood else { throw value.invalid(expected: "1 to 64 letters, digits or . _ -, no dot in front") }
    return text
  }

  /// `names`: `plain` (where it is absent) or `vss`.
  mutating func sinkUsesVSS() throws(JSONError) -> Bool {
    try optionalString("names", oneOf: ["plain", "vss"]) == "vss"
  }

  /// A path that may be absent.
  mutating func optionalPath(_ key: String, folder: String) throws(JSONError) -> String? {
    guard let value = optional(key) else { return nil }
    return try Self.path(value, folder)
  }

  /// A path that must be there.
  mutating func requiredPath(_ key: String, folder: String) throws(JSONError) -> String {
    try Self.path(required(key), folder)
  }

  private static func path(_ value: JSONValue, _ folder: String) throws(JSONError) -> String {
    let text = try value.requireString()
    guard (1..<4_096).contains(text.utf8.count), !text.utf8.contains(0) else {
      throw value.invalid(expected: "a path")
    }
    return text.utf8.first == UInt8(ascii: "/") ? text : folder + text
  }

  /// Seconds that may be absent, as ns.
  mutating func optionalSeconds(_ key: String, in range: ClosedRange<Double>) throws(JSONError) -> Int64? {
    try optionalDouble(key, in: range).map { Int64(($0 * 1e9).rounded()) }
  }

  /// A service's address that must be there.
  ///
  /// - Parameter secret: the key that takes what must not stand in it.
  mutating func requiredURL(
    schemes: [(name: String, port: Int)], secret: String
  ) throws(JSONError) -> ServiceURL {
    let value = try required("url")
    let text = try value.requireString()
    guard let url = ServiceURL(text, schemes: schemes) else {
      let begin = "a URL that begins with \(schemes.map { $0.name + "://" }.joined(separator: " or "))"
      // A secret belongs into a file that only the daemon reads, not into a configuration that is copied around.
      throw value.invalidAddress(
        expected: text.contains("@")
          ? "\(begin), without user and password; give \"\(secret)\"" : "\(begin), without query and fragment")
    }
    return url
  }
}
