/// Where a service is: `https://fleet.example:8443/api`. User and password have no place in it.
public struct ServiceURL: Equatable, Sendable, CustomStringConvertible {
  public var scheme: String
  /// A name, an IPv4 address, or an IPv6 address without its brackets.
  public var host: String
  public var port: Int
  /// Without a slash at its end; empty: the root.
  public var path: String

  /// - Parameters:
  ///   - text: absolute, without query and fragment.
  ///   - schemes: with the port that each has when none is written.
  /// - Returns: nil where it is something else.
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

  /// `https://fleet.example:8443`
  public var origin: String {
    let shown = host.contains(":") ? "[\(host)]" : host
    return "\(scheme)://\(shown):\(port)"
  }

  public var description: String { origin + path }
}
