import JSONText
import Peers

/// `{ "type": "mqtt", "url": "mqtts://broker.example", "userFile": "user", "passwordFile": "password" }`
public struct MQTTConfiguration: Equatable, Sendable {
  /// Nil: `mqtt`.
  public var name: String?
  /// Whether it gets the names of COVESA VSS 6.0.
  public var usesVSS = false
  public var url: ServiceURL
  public var userFile: String?
  public var passwordFile: String?
  public var tls = TLSFiles()
  /// What topics begin with.
  public var topic = "fleet"
  /// Whether records wait where nobody subscribes to their topic, in place of being dropped by the broker (MQTT 5 alone tells).
  public var needsSubscriber = false
  /// Nil: `obdgate-` and the gateway's id.
  public var clientId: String?
  public var gathering = Gathering(records: 100, interval: 10_000_000_000)
  /// Between two signs of life, seconds.
  public var keepAlive = 60
  /// Messages under way at once, at most; the broker may allow fewer.
  public var window = 20
  /// Until the broker has answered, ns: to the connection, and to what was published.
  public var answerLimit: Int64 = 60_000_000_000

  static let schemes = [(name: "mqtts", port: 8_883), (name: "mqtt", port: 1_883)]

  public init(url: ServiceURL) { self.url = url }

  var usesTLS: Bool { url.scheme == "mqtts" }

  init(_ reader: inout JSONObjectReader, folder: String) throws(JSONError) {
    name = try reader.sinkName()
    usesVSS = try reader.sinkUsesVSS()
    url = try reader.requiredURL(schemes: Self.schemes, secret: "userFile\" and \"passwordFile")
    guard url.path.isEmpty else { throw try reader.required("url").invalidAddress(expected: "a URL without a path") }
    userFile = try reader.optionalPath("userFile", folder: folder)
    passwordFile = try reader.optionalPath("passwordFile", folder: folder)
    if passwordFile != nil, userFile == nil { _ = try reader.required("userFile") }
    if var object = try reader.optionalObject("tls") { tls = try TLSFiles(&object, folder: folder) }
    if let value = reader.optional("topic") { topic = try Self.topic(value) }
    needsSubscriber = try reader.optionalBool("needsSubscriber") ?? needsSubscriber
    if let value = reader.optional("clientId") { clientId = try Self.clientId(value) }
    if var object = try reader.optionalObject("batch") {
      gathering.records = try object.optionalInt("records", in: 1...10_000) ?? gathering.records
      gathering.interval = try object.optionalSeconds("seconds", in: 0...86_400) ?? gathering.interval
      try object.finish()
    }
    keepAlive = try reader.optionalInt("keepAlive", in: 5...3_600) ?? keepAlive
    window = try reader.optionalInt("window", in: 1...20) ?? window
    answerLimit = try reader.optionalSeconds("answerLimit", in: 1...600) ?? answerLimit
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
