import Glibc
import HTTPTypes

/// A network of IP addresses: `10.0.0.0/8`, `2001:db8::/32`, or a single address.
public struct AddressNetwork: Equatable, Sendable, CustomStringConvertible {
  private let bytes: [UInt8]
  private let bits: Int
  /// The text from which the network was parsed.
  public let description: String

  /// Parses a network; `nil` unless the text is an IPv4 or IPv6 address, with or without a prefix length.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let bytes = Self.bytes(String(parts[0])) else { return nil }
    self.bytes = bytes
    description = text
    if parts.count == 2 {
      guard let bits = Int(parts[1]), (0...bytes.count * 8).contains(bits), parts[1].utf8.first != UInt8(ascii: "+")
      else { return nil }
      self.bits = bits
    } else {
      bits = bytes.count * 8
    }
  }

  func contains(_ address: String) -> Bool {
    guard let other = Self.bytes(address), other.count == bytes.count else { return false }
    let whole = bits / 8
    guard bytes[..<whole] == other[..<whole] else { return false }
    let rest = bits % 8
    return rest == 0 || (bytes[whole] ^ other[whole]) >> UInt8(8 - rest) == 0
  }

  /// Returns the 4 or 16 bytes of an address; `nil` if the text is not an address. For an IPv4 address in IPv6 notation
  /// (`::ffff:192.0.2.1`), returns its 4 bytes.
  private static func bytes(_ text: String) -> [UInt8]? {
    var four = in_addr()
    if unsafe inet_pton(AF_INET, text, &four) == 1 { return unsafe withUnsafeBytes(of: &four) { unsafe Array($0) } }
    var six = in6_addr()
    guard unsafe inet_pton(AF_INET6, text, &six) == 1 else { return nil }
    let bytes = unsafe withUnsafeBytes(of: &six) { unsafe Array($0) }
    let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
    return isMapped ? Array(bytes[12...]) : bytes
  }
}

/// The client from which a request comes.
struct Client: Equatable, Sendable {
  /// The address of the client; `nil` if unknown. If the client uses a proxy that is not trusted, this is the proxy's
  /// address.
  var address: String?
  /// Whether no one on the network can read the request, because it came over TLS or from this machine.
  var isPrivate: Bool
  /// Whether the client itself used TLS, as far as trusted proxies report it.
  var isTLS: Bool
}

/// The proxies that are trusted to name their clients in a header.
public struct TrustedProxies: Equatable, Sendable {
  /// The header in which proxies name their clients.
  public enum Header: String, CaseIterable, Sendable {
    /// `X-Forwarded-For` and `X-Forwarded-Proto`.
    case xForwardedFor
    /// `Forwarded` (RFC 7239).
    case forwarded
  }

  public var networks: [AddressNetwork]
  /// The header that the proxies write. The other header of ``Header`` is ignored, because proxies forward it as their
  /// client sent it.
  public var header: Header

  public init(_ networks: [AddressNetwork] = [], header: Header = .xForwardedFor) {
    self.networks = networks
    self.header = header
  }

  /// Finds the client of a request in the header that the proxies write. Only entries that trusted proxies wrote are
  /// used.
  ///
  /// - Parameters:
  ///   - peer: the address of the connection.
  ///   - isTLS: whether the connection uses TLS.
  func client(_ headers: HTTPFields, peer: String?, isTLS: Bool) -> Client {
    let direct = Client(address: peer, isPrivate: isTLS || Self.isLoopback(peer), isTLS: isTLS)
    guard let peer, isTrusted(peer) else { return direct }
    let hops = header == .forwarded ? Self.forwarded(headers) : Self.xForwardedFor(headers)
    guard var hop = hops.last else { return direct }
    // Each proxy appends the address from which it received the request. So the client's address is the last address
    // that does not belong to a trusted proxy.
    for next in hops.reversed() {
      hop = next
      guard let address = next.address, isTrusted(address) else { break }
    }
    let isSecure = hop.scheme.map { $0 == "https" } ?? isTLS
    return Client(
      address: hop.address ?? peer, isPrivate: isSecure || Self.isLoopback(hop.address) && Self.isLoopback(peer),
      isTLS: isSecure)
  }

  func isTrusted(_ address: String) -> Bool { networks.contains { $0.contains(address) } }

  private static func isLoopback(_ address: String?) -> Bool {
    guard let address else { return false }
    return [AddressNetwork("127.0.0.0/8"), AddressNetwork("::1")].contains { $0?.contains(address) ?? false }
  }

  /// One proxy's client, as the header describes it.
  private struct Hop {
    /// The client's address; `nil` if it is hidden or unknown.
    var address: String?
    var scheme: String?
  }

  private static func forwarded(_ headers: HTTPFields) -> [Hop] {
    guard let forwarded = headers[.forwarded] else { return [] }
    return forwarded.split(separator: ",").map { element in
      var hop = Hop()
      for pair in element.split(separator: ";") {
        let parts = pair.split(separator: "=", maxSplits: 1).map { $0.trimmed }
        guard parts.count == 2 else { continue }
        switch parts[0].lowercased() {
        case "for": hop.address = address(parts[1].filter { $0 != "\"" })
        case "proto": hop.scheme = parts[1].filter { $0 != "\"" }.lowercased()
        default: continue
        }
      }
      return hop
    }
  }

  private static func xForwardedFor(_ headers: HTTPFields) -> [Hop] {
    guard let list = headers[.xForwardedFor] else { return [] }
    // The proxy nearest to this server wrote the last element of the header. The element is the scheme that this
    // proxy's client used.
    let schemes = headers[.xForwardedProto]?.split(separator: ",").map { $0.trimmed.lowercased() } ?? []
    let addresses = list.split(separator: ",", omittingEmptySubsequences: false)
    return addresses.enumerated().map { index, text in
      let fromEnd = addresses.count - 1 - index
      let scheme = schemes.count == 1 ? schemes[0] : schemes.dropLast(fromEnd).last
      return Hop(address: address(text.trimmed), scheme: scheme)
    }
  }

  /// Returns an address without its port and brackets; `nil` if the text is not an address.
  private static func address(_ text: String) -> String? {
    var text = text[...]
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      text = text[text.index(after: text.startIndex)..<end]
    } else if text.filter({ $0 == ":" }).count == 1, let colon = text.firstIndex(of: ":") {
      text = text[..<colon]
    }
    return AddressNetwork(String(text)) != nil && !text.contains("/") ? String(text) : nil
  }
}

extension Substring {
  fileprivate var trimmed: String {
    var text = self
    while text.first == " " || text.first == "\t" { text = text.dropFirst() }
    while text.last == " " || text.last == "\t" { text = text.dropLast() }
    return String(text)
  }
}

extension HTTPField.Name {
  static let forwarded = HTTPField.Name("Forwarded")!
  static let xForwardedFor = HTTPField.Name("X-Forwarded-For")!
  static let xForwardedProto = HTTPField.Name("X-Forwarded-Proto")!
  static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
