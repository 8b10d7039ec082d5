import FleetDomain
import FleetProviders
import Peers

/// The address of an MQTT broker, with the user name for the login and the first levels of the topics.
///
///     mqtts://fleet@broker.example/fleet           port 8883, TLS
///     mqtt://homeassistant.local:1883/vans/depot   only in private networks
///     mqtts://fleet@broker.example/~acme/vans      the tenant `acme`
///
/// An address never contains a password.
public struct MQTTAddress: Hashable, Sendable {
  /// A description of valid addresses, for messages.
  public static let expected =
    "expected mqtts://USER@HOST/PREFIX, or mqtt:// for a private network; PREFIX has levels of letters, digits and -_.~, but not . or .."

  /// The maximum length of ``prefix``, bytes.
  private static let longestPrefix = 200
  private static let schemes = [("mqtts", 8_883), ("mqtt", 1_883)]

  /// A name, an IPv4 address, or an IPv6 address without its brackets.
  let host: String
  let port: Int
  let usesTLS: Bool
  /// `nil` for a login without a name.
  public let user: String?
  /// The first levels of all topics that have values, such as `vans/depot`.
  let prefix: String

  /// Parses an address; `nil` if the text is not an address.
  public init?(_ text: String) {
    guard text.utf8.count <= 2_048, let start = text.firstRange(of: "://")?.upperBound else { return nil }
    var (plain, user) = (text, String?.none)
    if let at = text[start...].prefix(while: { $0 != "/" }).lastIndex(of: "@") {
      let name = text[start..<at]
      guard !name.contains(":"), let decoded = PercentCoding.decode(name), NameRules.isName(decoded) else { return nil }
      user = decoded
      plain.removeSubrange(start...at)
    }
    guard let url = ServiceURL(plain, schemes: Self.schemes), Self.isPrefix(url.path.dropFirst()) else { return nil }
    (host, port, usesTLS) = (url.host, url.port, url.scheme == "mqtts")
    self.user = user
    prefix = String(url.path.dropFirst())
  }

  /// Whether messages may be sent to an address, as far as its text shows. The IP addresses of its host are checked
  /// later, before each connection.
  ///
  /// - Parameter mayUsePrivate: whether addresses of this machine and of private networks are allowed.
  public static func isAllowed(_ text: String, mayUsePrivate: Bool) -> Bool {
    guard let address = MQTTAddress(text) else { return false }
    return CheckedHost.isAllowed(address.host, isEncrypted: address.usesTLS, mayUsePrivate: mayUsePrivate)
  }

  /// The ID of the tenant that the first level of ``prefix`` names, such as `acme` in `~acme/vans`; `nil` if the first
  /// level names no tenant.
  private var tenant: Substring? {
    prefix.first == "~" ? prefix.split(separator: "/", maxSplits: 1)[0].dropFirst() : nil
  }

  /// Whether a tenant may add a forward to this address.
  ///
  /// The prefix of each tenant except `default` begins with `~` and its ID. Otherwise, two tenants with the same broker
  /// and prefix could replace the messages of each other's vehicles.
  public func isAllowed(for tenant: TenantID) -> Bool {
    self.tenant == (tenant == .standard ? nil : tenant.text[...])
  }

  /// Whether messages of a tenant may be sent to this address: its prefix names this tenant or no tenant. A prefix that
  /// names no tenant remains usable for all tenants, because earlier versions accepted such addresses.
  func isUsable(by tenant: TenantID) -> Bool { self.tenant.map { $0 == tenant.text } ?? true }

  /// A description of the prefixes that a tenant may use, for messages.
  public static func expectedPrefix(of tenant: TenantID) -> String {
    tenant == .standard
      ? "expected a PREFIX that does not begin with ~, because the topics of other tenants do"
      : "expected a PREFIX that begins with ~\(tenant.text)/, because the topics belong to this tenant"
  }

  /// Whether messages for both addresses have the same topics on the same broker.
  public func hasSameTopics(as other: MQTTAddress) -> Bool {
    host.lowercased() == other.host.lowercased() && port == other.port && prefix == other.prefix
  }

  /// Whether a text can be the first levels of topics. Each level consists of letters, digits, `-`, `_`, `.` and `~`,
  /// so the text contains neither wildcards (`+`, `#`) nor `$`, which is reserved for brokers. The levels `.` and `..`
  /// are not allowed, because a bridge that maps topics to paths could then leave its folder. The first level is not
  /// `homeassistant`, below which Home Assistant reads its own topics.
  private static func isPrefix(_ text: Substring) -> Bool {
    let levels = text.split(separator: "/", omittingEmptySubsequences: false)
    return text.utf8.count <= longestPrefix && levels.first != "homeassistant"
      && levels.allSatisfy { level in
        !["", ".", ".."].contains(level)
          && level.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
              UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
              UInt8(ascii: "~"):
              true
            default: false
            }
          }
      }
  }
}
