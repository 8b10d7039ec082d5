import JSONText
import Peers
import Spool

/// The configuration of one sink: an element of `sinks`. Unknown keys are errors.
///
///     { "type": "fleetStore", "url": "https://fleet.example/api", "tokenFile": "token" }
///
/// Secrets are stored in separate files, whose paths are in the object. A relative path begins at the folder of the
/// configuration file.
public enum SinkConfiguration: Equatable, Sendable {
  case stdout(StdoutConfiguration)
  case file(FileSinkConfiguration)
  case fleetStore(FleetStoreConfiguration)
  case mqtt(MQTTConfiguration)

  /// Reads a sink's configuration.
  ///
  /// - Parameters:
  ///   - value: the sink's object in the configuration.
  ///   - folder: folder of the configuration file, with a slash at the end; empty for the current folder.
  /// - Throws: the first error, with its position in the configuration.
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

  /// The sink's name in the spool and in `gap` records: the configured `name`, or the sink's type if there is none. No
  /// two sinks may have the same name.
  public var name: String {
    switch self {
    case .stdout(let sink): sink.name ?? "stdout"
    case .file(let sink): sink.name ?? "file"
    case .fleetStore(let sink): sink.name ?? "fleetStore"
    case .mqtt(let sink): sink.name ?? "mqtt"
    }
  }

  /// If the sink sends a secret to another machine without encryption, because `insecure` allows this: the name of the
  /// secret (`the token` or `the password`), and the URL to which it is sent. Otherwise `nil`.
  public var exposedSecret: (secret: String, url: ServiceURL)? {
    switch self {
    case .stdout, .file: nil
    case .fleetStore(let sink): sink.exposesToken ? ("the token", sink.url) : nil
    case .mqtt(let sink): sink.exposesPassword ? ("the password", sink.url) : nil
    }
  }

  /// Whether the sink's records use the signal names of COVESA VSS 6.0.
  public var usesVSS: Bool {
    switch self {
    case .stdout(let sink): sink.usesVSS
    case .file(let sink): sink.usesVSS
    case .fleetStore(let sink): sink.usesVSS
    case .mqtt(let sink): sink.usesVSS
    }
  }

  /// Maximum size of a batch for this sink.
  public var limit: RecordBatch.Limit {
    switch self {
    case .stdout: StdoutSink.limit
    case .file: FileSink.limit
    case .fleetStore(let sink): RecordBatch.Limit(records: sink.batchPolicy.records)
    case .mqtt: MQTTSink.limit
    }
  }

  /// The conditions for sending a batch to this sink.
  public var batchPolicy: BatchPolicy {
    switch self {
    case .stdout: BatchPolicy(records: 1_000, interval: 0)
    case .file(let sink): sink.batchPolicy
    case .fleetStore(let sink): sink.batchPolicy
    case .mqtt(let sink): sink.batchPolicy
    }
  }
}

/// Functions that read keys which several types of sinks have.
extension JSONObjectReader {
  /// Reads `name`: 1 to 64 letters, digits, `.`, `_` or `-`, but not `.` at the start; `nil` if it is absent. Other
  /// characters are invalid, because the name becomes part of file names.
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
    guard isGood else { throw value.invalid(expected: "1 to 64 letters, digits or . _ -, the first not a dot") }
    return text
  }

  /// Reads `names`: `vss`, or `plain`, which is the default. Returns whether it is `vss`.
  mutating func sinkUsesVSS() throws(JSONError) -> Bool {
    try optionalString("names", oneOf: ["plain", "vss"]) == "vss"
  }

  /// Reads the path of a file; `nil` if the key is missing. A relative path begins at `folder`.
  mutating func optionalPath(_ key: String, folder: String) throws(JSONError) -> String? {
    guard let value = optional(key) else { return nil }
    return try Self.path(value, folder)
  }

  /// Reads the path of a file; it is an error if the key is missing. Call this after all other keys were read.
  mutating func requiredPath(_ key: String, folder: String) throws(JSONError) -> String {
    try Self.path(requiredLast(key), folder)
  }

  private static func path(_ value: JSONValue, _ folder: String) throws(JSONError) -> String {
    let text = try value.requireString()
    guard (1..<4_096).contains(text.utf8.count), !text.utf8.contains(0) else {
      throw value.invalid(expected: "a path")
    }
    return text.utf8.first == UInt8(ascii: "/") ? text : folder + text
  }

  /// Reads a number of seconds, and returns it in ns; `nil` if the key is missing.
  mutating func optionalSeconds(_ key: String, in range: ClosedRange<Double>) throws(JSONError) -> Int64? {
    try optionalDouble(key, in: range).map { Int64(($0 * 1e9).rounded()) }
  }

  /// Reads the URL of a server or broker; it is an error if the key is missing. Call this after all other keys were
  /// read.
  ///
  /// - Parameter secret: the key that the error message recommends if the URL contains a user name or password.
  mutating func requiredURL(
    schemes: [(name: String, port: Int)], secret: String
  ) throws(JSONError) -> ServiceURL {
    let value = try requiredLast("url")
    let text = try value.requireString()
    guard let url = ServiceURL(text, schemes: schemes) else {
      let begin = "a URL that begins with \(schemes.map { $0.name + "://" }.joined(separator: " or "))"
      // Secrets belong in files that only the daemon can read, not in a configuration that people copy.
      throw value.invalidAddress(
        expected: text.contains("@")
          ? "\(begin), without user and password; give \"\(secret)\"" : "\(begin), without query and fragment")
    }
    return url
  }

  /// Returns the error for a secret that would be sent without encryption to the machine that `url` names.
  ///
  /// - Parameter scheme: the URL scheme with encryption, for the error message.
  mutating func exposed(_ secret: String, scheme: String) throws(JSONError) -> JSONError {
    try required("url").invalid(
      expected: "\(scheme)://, or \"insecure\": true beside it: anyone on the way can read \(secret)")
  }
}
