/// Checks whether a web page may open a WebSocket, by its origin (RFC 6454; RFC 6455, 10.2).
///
/// Programs send no `Origin` and are allowed. Browsers always send the origin of the page, which must be the origin of
/// this server or one of ``listed``.
public struct AllowedOrigins: Equatable, Sendable {
  /// Allowed origins in addition to the server's own, such as `https://fleet.example`; `*` allows every page.
  public var listed: Set<String>

  /// Allows the pages of some origins.
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
