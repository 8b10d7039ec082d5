import FleetMessages
import Peers

/// The mail server to which this server passes mails, and the address from which they are sent.
///
///     smtps://mail.example:465     TLS from the beginning
///     smtp://mail.example:587      TLS by STARTTLS; a server without it gets no mail
///     smtp://localhost:25          without TLS, because the connection does not leave this machine
public struct MailServer: Equatable, Sendable, CustomStringConvertible {
  private let url: ServiceURL
  /// The address in the header `From` of all mails.
  public let from: MailAddress
  /// The user and password of the mail server; `nil` if it requires no login.
  public var login: Login?
  /// The path of a PEM file with the certificate authorities to use; `nil` for those of the system.
  public var authorities: String?
  /// The name of this service in the texts of mails.
  public var serviceName = "fleetstore"
  /// Time limit for opening a connection with TLS, in s.
  public var connectSeconds = 10
  /// Time limit for sending a mail, in s. It is shorter than the time until the next attempt, so that two attempts
  /// never overlap.
  public var mailSeconds = 45

  public struct Login: Equatable, Sendable {
    public var user: String
    public var password: String

    public init(user: String, password: String) {
      self.user = user
      self.password = password
    }
  }

  /// Parses the URL of a mail server; `nil` unless it has the format `smtps://HOST[:PORT]` or `smtp://HOST[:PORT]`.
  public init?(_ text: String, from: MailAddress) {
    guard let url = ServiceURL(text, schemes: [("smtps", 465), ("smtp", 587)]), url.path.isEmpty,
      url.host.utf8.allSatisfy(Self.isInHost)
    else { return nil }
    self.url = url
    self.from = from
  }

  private static func isInHost(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"):
      true
    default: false
    }
  }

  /// Whether TLS must encrypt the connection before anything else is sent.
  var requiresTLS: Bool { url.scheme == "smtps" || !url.isLoopback }

  /// The URL of the mail server with its port, without user and password.
  public var description: String { url.origin }
}
