import Peers

/// The address of a broker, with the user name for the login.
///
///     amqps://fleet@mq1.example:5671/depot     RabbitMQ; the path is the virtual host: `/` if there is no path
///     amqp://127.0.0.1                         RabbitMQ on this machine, as RabbitMQ's user `guest`
///     mqtts://fleet@mq.example                 mosquitto, or any other broker with MQTT 5
///
/// An address never contains a password.
public struct BrokerAddress: Equatable, Sendable, CustomStringConvertible {
  /// The protocol.
  public enum Language: Sendable {
    /// AMQP 0-9-1.
    case amqp
    /// MQTT 5.
    case mqtt
  }

  public let language: Language
  public let usesTLS: Bool
  /// A name, an IPv4 address, or an IPv6 address without its brackets.
  public let host: String
  public let port: Int
  /// The user name; `nil` for none, which only MQTT allows.
  public let user: String?
  /// Whether the user is RabbitMQ's `guest`, who may log in only on the broker's own machine.
  public let isGuest: Bool
  /// Whether the host is this machine, so that the connection does not leave it.
  public let isLoopback: Bool
  /// The virtual host of AMQP; empty for MQTT.
  public let virtualHost: String
  private let url: ServiceURL

  /// The reason why a text is not an address. It never contains parts of the text, which may be a password.
  public enum ParsingError: Error {
    case hasPassword
    /// The text is an AMQP address of another machine, but contains no user.
    case noUser
    /// The text is an MQTT address with a path, which such addresses must not have.
    case hasPath
    /// The scheme is unknown, or host, port or percent-encoding are invalid.
    case notAnAddress
  }

  /// Parses an address; `nil` if the text is not an address.
  public init?(_ text: String) { try? self.init(parsing: text) }

  public init(parsing text: String) throws(ParsingError) {
    var (plain, user) = (text, String?.none)
    let start = text.firstIndex(of: ":").map { text[$0...].prefix { $0 == ":" || $0 == "/" }.endIndex }
    if let start, let at = text[start...].prefix(while: { $0 != "/" }).lastIndex(of: "@") {
      guard !text[start..<at].contains(":") else { throw .hasPassword }
      guard let name = Self.decoded(text[start..<at]), !name.isEmpty else { throw .notAnAddress }
      user = name
      plain.removeSubrange(start...at)
    }
    guard let url = ServiceURL(plain, schemes: Self.schemes), let path = Self.decoded(url.path.dropFirst()) else {
      throw .notAnAddress
    }
    language = url.scheme.hasPrefix("amqp") ? .amqp : .mqtt
    isLoopback = url.isLoopback
    isGuest = language == .amqp && user == nil && isLoopback
    if isGuest { user = "guest" }
    guard language == .amqp || path.isEmpty else { throw .hasPath }
    guard language == .mqtt || user != nil else { throw .noUser }
    usesTLS = url.scheme.hasSuffix("s")
    (host, port) = (url.host, url.port)
    self.user = user
    virtualHost = language == .mqtt ? "" : path.isEmpty ? "/" : path
    self.url = url
  }

  /// The address without user and path: `amqps://mq1.example:5671`.
  public var description: String { url.origin }

  private static let schemes = [("amqps", 5_671), ("amqp", 5_672), ("mqtts", 8_883), ("mqtt", 1_883)]

  /// Decodes percent-encoding (RFC 3986, 2.1); `nil` if it is invalid, or not UTF-8.
  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2, let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16), value > 0 else {
        return nil
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
