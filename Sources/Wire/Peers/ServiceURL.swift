/// The URL of a service, such as `https://fleet.example:8443/api`, without user and password.
public struct ServiceURL: Equatable, Sendable, CustomStringConvertible {
  /// The scheme in lower case, such as `https`.
  public var scheme: String
  /// A host name, an IPv4 address, or an IPv6 address without brackets.
  public var host: String
  /// The port; if the URL has none, the default port of the scheme.
  public var port: Int
  /// Path without a trailing slash; empty for the root.
  public var path: String

  /// Parses a URL; `nil` if it is invalid or has a scheme that is not accepted.
  ///
  /// - Parameters:
  ///   - text: an absolute URL without query and fragment.
  ///   - schemes: the accepted schemes with their default ports.
  public init?(_ text: String, schemes: [(name: String, port: Int)]) {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !text.contains("#"), !text.contains("?"),
      let scheme = schemes.first(where: { text.lowercased().hasPrefix($0.name + "://") })
    else { return nil }
    let rest = text.dropFirst(scheme.name.count + 3)
    let authority = rest.prefix { $0 != "/" }
    var path = rest.dropFirst(authority.count)
    while path.hasSuffix("/") { path = path.dropLast() }
    guard let (host, port) = Self.endpoint(authority) else { return nil }
    self.scheme = scheme.name
    self.host = host
    self.port = port ?? scheme.port
    self.path = String(path)
  }

  private static func endpoint(_ authority: Substring) -> (String, Int?)? {
    guard !authority.contains("@") else { return nil }
    var host = authority
    var port = Substring()
    if authority.hasPrefix("["), let end = authority.lastIndex(of: "]") {
      host = authority[authority.index(after: authority.startIndex)..<end]
      port = authority[authority.index(after: end)...]
      guard host.contains(":"), port.isEmpty || port.hasPrefix(":") else { return nil }
    } else if let colon = authority.firstIndex(of: ":") {
      host = authority[..<colon]
      port = authority[colon...]
    }
    guard !host.isEmpty else { return nil }
    guard !port.isEmpty else { return (String(host), nil) }
    port = port.dropFirst()
    guard port.first != "+", let number = UInt16(port), number > 0 else { return nil }
    return (String(host), Int(number))
  }

  /// Whether the host is this machine: `localhost`, `127.x.y.z` or `[::1]`. Other names are not looked up.
  public var isLoopback: Bool {
    if host.lowercased() == "localhost" || host == "::1" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127"
      && parts.allSatisfy { part in UInt8(part).map { "\($0)" == part } ?? false }
  }

  /// Whether another URL has the same host and port, even if its scheme or path differs. Host names are compared as
  /// text, not looked up.
  public func isSameServer(as other: ServiceURL) -> Bool {
    host.lowercased() == other.host.lowercased() && port == other.port
  }

  /// Scheme, host and port, such as `https://fleet.example:8443`.
  public var origin: String {
    let shown = host.contains(":") ? "[\(host)]" : host
    return "\(scheme)://\(shown):\(port)"
  }

  public var description: String { origin + path }
}
