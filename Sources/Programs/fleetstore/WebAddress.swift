import Glibc

/// The address of a web server: `https://fleet.example`, `http://[::1]:8080/depot`.
struct WebAddress {
  /// The scheme, host and port. If ``isOrigin``, browsers send this text in the header `Origin`.
  let origin: String
  /// The path without a slash at its end; empty for none.
  let path: String
  private let isCanonical: Bool

  static let expectation = "an address without a slash at its end, such as \"https://fleet.example\""
  static let expectedOrigin =
    "an origin as browsers send it, such as \"https://fleet.example\" (lower case, no path, no default port), or \"*\""

  /// Whether a text is an origin as browsers send it. The origins of apps and extensions have other schemes than `http`
  /// and `https`.
  static func isOrigin(_ text: String) -> Bool {
    if let address = WebAddress(text) { return address.isOrigin }
    let parts = text.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, !["http", "https"].contains(parts[0]), parts[1].hasPrefix("//"),
      parts[0].first?.isLetter ?? false,
      parts[0].utf8.allSatisfy({ (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "-") })
    else { return false }
    return isHost(String(parts[1].dropFirst(2)))
  }

  /// Whether the address has no path, and is written as browsers write it (RFC 6454, section 6.2).
  var isOrigin: Bool { path.isEmpty && isCanonical }

  /// Parses an address.
  ///
  /// - Returns: `nil` unless the text is `http://` or `https://`, a host, optionally a port, and optionally a path of
  ///   visible ASCII characters that does not end with a slash.
  init?(_ text: String) {
    guard let scheme = ["http", "https"].first(where: { text.hasPrefix($0 + "://") }), text.utf8.count <= 1_024,
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !text.contains(where: { "#?@\\".contains($0) })
    else { return nil }
    let rest = text.dropFirst(scheme.count + 3)
    let authority = rest.prefix { $0 != "/" }
    path = String(rest.dropFirst(authority.count))
    guard !path.hasSuffix("/"), let (host, port) = Self.split(authority), Self.isHost(host) else { return nil }
    if let port, !(1...65_535).contains(port) { return nil }
    origin = "\(scheme)://\(authority)"
    isCanonical = host == host.lowercased() && port != (scheme == "http" ? 80 : 443)
  }

  /// Splits a host and an optional port.
  ///
  /// - Returns: `nil` if the part after the last colon is not a number, or has leading zeros.
  private static func split(_ authority: Substring) -> (host: String, port: Int?)? {
    guard let colon = authority.lastIndex(of: ":"), authority.last != "]" else { return (String(authority), nil) }
    let digits = authority[authority.index(after: colon)...]
    guard (1...5).contains(digits.utf8.count), digits.first != "0",
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else {
      return nil
    }
    return (String(authority[..<colon]), Int(digits))
  }

  /// Whether a text is a host name or an IP address. An IPv6 address must be in brackets.
  private static func isHost(_ text: String) -> Bool {
    if text.hasPrefix("[") {
      var address = in6_addr()
      let isAddress = unsafe inet_pton(AF_INET6, String(text.dropFirst().dropLast()), &address) == 1
      return text.hasSuffix("]") && isAddress
    }
    let labels = text.split(separator: ".", omittingEmptySubsequences: false)
    return (1...253).contains(text.utf8.count)
      && labels.allSatisfy { label in
        (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
          && label.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"): true
            default: false
            }
          }
      }
  }
}
