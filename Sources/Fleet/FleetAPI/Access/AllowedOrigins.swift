/// Decides by a web page's origin (RFC 6454) whether the page is one of this server's own pages, or another page that
/// may open a WebSocket (RFC 6455, 10.2).
///
/// Programs that are not browsers send no header `Origin`, and are allowed. Browsers always send the origin of the
/// page. It must be the origin of this server or an origin in ``listed``.
public struct AllowedOrigins: Equatable, Sendable {
  /// Allowed origins in addition to the server's own, such as `https://fleet.example`; `*` allows every page.
  public var listed: Set<String>
  /// The server's own origin; `nil` if the server's address is not configured. In that case, the request's header
  /// `Host` determines the origin. With a configured address, `Host` is not used: otherwise, an attacker could let
  /// another host name lead to this server, and a page with that name would count as the server's own.
  private var own: String?

  /// Creates a check that allows the server's own pages and the pages of the listed origins.
  ///
  /// - Parameters:
  ///   - listed: origins as browsers send them, without a path.
  ///   - url: the address of the server, as people see it; `nil` if it is not configured.
  public init(_ listed: Set<String> = [], ownURL url: String? = nil) {
    self.listed = listed
    own = url.map(Self.origin)
  }

  /// Returns a copy of this check for a server with the address `url`. The listed origins stay the same.
  func of(ownURL url: String?) -> AllowedOrigins { AllowedOrigins(listed, ownURL: url) }

  /// Whether a request comes from an allowed page.
  ///
  /// - Parameters:
  ///   - origin: the request's header `Origin`; `nil` if it has none.
  ///   - host: the request's header `Host`.
  func allow(_ origin: String?, host: String?) -> Bool {
    guard let origin else { return true }
    if listed.contains("*") || listed.contains(origin) { return true }
    if let own { return origin.lowercased() == own }
    guard let host, let scheme = ["http://", "https://"].first(where: { origin.hasPrefix($0) }) else { return false }
    return origin.dropFirst(scheme.utf8.count).lowercased() == host.lowercased()
  }

  /// Returns the origin of a URL as browsers send it: in lower case, without the default port.
  private static func origin(_ url: String) -> String {
    let url = url.lowercased()
    guard let scheme = ["http://", "https://"].first(where: { url.hasPrefix($0) }) else { return url }
    let port = scheme == "https://" ? ":443" : ":80"
    let authority = url.dropFirst(scheme.utf8.count).prefix { $0 != "/" }
    return scheme + (authority.hasSuffix(port) ? authority.dropLast(port.utf8.count) : authority)
  }
}
