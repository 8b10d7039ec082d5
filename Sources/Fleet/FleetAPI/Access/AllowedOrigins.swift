/// Decides from a web page's origin whether the page may open a WebSocket (RFC 6454; RFC 6455, 10.2).
///
/// Programs that are not browsers send no header `Origin`, and are allowed. Browsers always send the origin of the
/// page. It must be the origin of this server or an origin in ``listed``.
public struct AllowedOrigins: Equatable, Sendable {
  /// Allowed origins in addition to the server's own, such as `https://fleet.example`; `*` allows every page.
  public var listed: Set<String>

  /// Creates a check that allows the server's own pages and the pages of the listed origins.
  ///
  /// - Parameter listed: origins as browsers send them, without a path.
  public init(_ listed: Set<String> = []) { self.listed = listed }

  /// Whether a request may open a WebSocket.
  ///
  /// - Parameters:
  ///   - origin: the request's header `Origin`; `nil` if it has none.
  ///   - host: the request's header `Host`.
  func allow(_ origin: String?, host: String?) -> Bool {
    guard let origin else { return true }
    if listed.contains("*") || listed.contains(origin) { return true }
    guard let host, let scheme = ["http://", "https://"].first(where: { origin.hasPrefix($0) }) else { return false }
    return origin.dropFirst(scheme.utf8.count).lowercased() == host.lowercased()
  }
}
