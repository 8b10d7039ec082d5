import Peers

/// Where a broker is, and as whom records are taken from it.
///
///     amqps://fleet@mq1.example:5671/depot     RabbitMQ; the path is the virtual host, `/` without one
///     amqp://127.0.0.1                         RabbitMQ on this machine, as its own `guest`
///     mqtts://fleet@mq.example                 mosquitto, or any other with MQTT 5
///
/// A password never stands in it.
public struct BrokerAddress: Equatable, Sendable, CustomStringConvertible {
  /// What is spoken there.
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
  /// Nil: nobody, which AMQP does not allow.
  public let user: String?
  /// Nobody is named: it is RabbitMQ's own `guest`, which it lets in from its own machine alone.
  public let isGuest: Bool
  /// Whether the host is this machine: nobody else reads what is sent there.
  public let isLoopback: Bool
  /// Of AMQP; empty for MQTT.
  public let virtualHost: String
  private let url: ServiceURL

  /// - Returns: nil for another scheme, a password, a path behind MQTT's port, or AMQP without a user but on this
  ///   machine.
  public init?(_ text: String) {
    var (plain, user) = (text, String?.none)
    let start = text.firstIndex(of: ":").map { text[$0...].prefix { $0 == ":" || $0 == "/" }.endIndex }
    if let start, let at = text[start...].prefix(while: { $0 != "/" }).lastIndex(of: "@") {
      guard let name = Self.decoded(text[start..<at]), !name.isEmpty, !text[start..<at].contains(":") else {
        return nil
      }
      user = name
      plain.removeSubrange(start...at)
    }
    guard let url = ServiceURL(plain, schemes: Self.schemes), let path = Self.decoded(url.path.dropFirst()) else {
      return nil
    }
    language = url.scheme.hasPrefix("amqp") ? .amqp : .mqtt
    isLoopback = url.isLoopback
    isGuest = language == .amqp && user == nil && isLoopback
    if isGuest { user = "guest" }
    guard language == .mqtt ? path.isEmpty : user != nil else { return nil }
    usesTLS = url.scheme.hasSuffix("s")
    (host, port) = (url.host, url.port)
    self.user = user
    virtualHost = language == .mqtt ? "" : path.isEmpty ? "/" : path
    self.url = url
  }

  /// Without user and path: `amqps://mq1.example:5671`.
  public var description: String { url.origin }

  private static let schemes = [("amqps", 5_671), ("amqp", 5_672), ("mqtts", 8_883), ("mqtt", 1_883)]

  /// Percent-encoding (RFC 3986, 2.1) undone; nil where it is none, or not UTF-8.
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
