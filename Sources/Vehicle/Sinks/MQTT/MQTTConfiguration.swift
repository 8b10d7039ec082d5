import JSONText
import Peers

/// Configuration of an ``MQTTSink``.
///
///     { "type": "mqtt", "url": "mqtts://broker.example", "userFile": "user", "passwordFile": "password" }
public struct MQTTConfiguration: Equatable, Sendable {
  /// The sink's name; `nil` for the name `mqtt`.
  public var name: String?
  /// Whether the sink's records use the signal names of COVESA VSS 6.0.
  public var usesVSS = false
  /// URL of the broker, without a path.
  public var url: ServiceURL
  /// Path of the file that contains the user name; `nil` for no user name.
  public var userFile: String?
  /// Path of the file that contains the password; `nil` for no password.
  public var passwordFile: String?
  /// Whether the configuration allows sending the password to another machine without encryption.
  public var isInsecure = false
  /// Certificate files of the TLS connection.
  public var tls = TLSFiles()
  /// Prefix of all topics.
  public var topic = "fleet"
  /// Whether a record waits in the spool if nobody subscribes to its topic. If `false`, the broker drops such a record.
  /// A broker reports missing subscribers only with MQTT 5.
  public var needsSubscriber = false
  /// The configured client ID; `nil` to use the default of ``clientId(of:)``.
  public var clientId: String?
  /// The conditions for sending messages: by default, messages are sent when 100 records wait, or after 10 s.
  public var batchPolicy = BatchPolicy(records: 100, interval: 10_000_000_000)
  /// MQTT's keep-alive interval, s.
  public var keepAlive = 60
  /// Maximum number of messages in flight. The broker may allow fewer.
  public var window = 20
  /// Time limit for the broker's answers to CONNECT and PUBLISH, ns.
  public var answerLimit: Int64 = 60_000_000_000

  static let schemes = [(name: "mqtts", port: 8_883), (name: "mqtt", port: 1_883)]

  /// Creates a configuration with the given URL. All other properties have their default values.
  public init(url: ServiceURL) { self.url = url }

  /// Returns the client ID: the configured one; otherwise `obdgate-` and the gateway ID, and, if the sink has a name,
  /// `@` and the name. Gateway IDs and names cannot contain `@`. Therefore, two sinks never have the same default
  /// client ID.
  public func clientId(of gatewayId: String) -> String {
    clientId ?? "obdgate-\(gatewayId)" + (name.map { "@\($0)" } ?? "")
  }

  var usesTLS: Bool { url.scheme == "mqtts" }

  /// Whether the password would be sent to another machine without encryption.
  var exposesPassword: Bool { !usesTLS && passwordFile != nil && !url.isLoopback }

  init(_ reader: inout JSONObjectReader, folder: String) throws(JSONError) {
    name = try reader.sinkName()
    usesVSS = try reader.sinkUsesVSS()
    userFile = try reader.optionalPath("userFile", folder: folder)
    passwordFile = try reader.optionalPath("passwordFile", folder: folder)
    isInsecure = try reader.optionalBool("insecure") ?? isInsecure
    if var object = try reader.optionalObject("tls") { tls = try TLSFiles(&object, folder: folder) }
    if let value = reader.optional("topic") { topic = try Self.topic(value) }
    needsSubscriber = try reader.optionalBool("needsSubscriber") ?? needsSubscriber
    if let value = reader.optional("clientId") { clientId = try Self.clientId(value) }
    if var object = try reader.optionalObject("batch") {
      batchPolicy.records = try object.optionalInt("records", in: 1...10_000) ?? batchPolicy.records
      batchPolicy.interval = try object.optionalSeconds("seconds", in: 0...86_400) ?? batchPolicy.interval
      try object.finish()
    }
    keepAlive = try reader.optionalInt("keepAlive", in: 5...3_600) ?? keepAlive
    window = try reader.optionalInt("window", in: 1...20) ?? window
    answerLimit = try reader.optionalSeconds("answerLimit", in: 1...600) ?? answerLimit
    url = try reader.requiredURL(schemes: Self.schemes, secret: "userFile\" and \"passwordFile")
    guard url.path.isEmpty else { throw try reader.required("url").invalidAddress(expected: "a URL without a path") }
    if exposesPassword, !isInsecure, !reader.object.leavesOut("insecure") {
      throw try reader.exposed("the password", scheme: "mqtts")
    }
    if passwordFile != nil, userFile == nil { _ = try reader.required("userFile") }
  }

  private static func clientId(_ value: JSONValue) throws(JSONError) -> String {
    let text = try value.requireString()
    let isGood = (1...128).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    guard isGood else { throw value.invalid(expected: "1 to 128 characters of printable ASCII without space") }
    return text
  }

  private static func topic(_ value: JSONValue) throws(JSONError) -> String {
    let text = try value.requireString()
    let isGood =
      (1...256).contains(text.utf8.count) && !text.hasPrefix("/") && !text.hasSuffix("/")
      && !text.hasPrefix("$") && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x23 && $0 != 0x2B }
    guard isGood else { throw value.invalid(expected: "a topic without + and #, no slash at its ends") }
    return text
  }
}
