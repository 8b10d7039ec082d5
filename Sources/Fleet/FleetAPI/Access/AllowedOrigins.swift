/// Checks which web pages may open a WebSocket (RFC 6454; RFC 6455, 10.2).
///
/// Programs send no `Origin` and are allowed. Browsers always send the origin of the page. It must be that of this
/// server, or be listed.
public struct AllowedOrigins: Equatable, Sendable {
  /// Allowed origins, such as `https://fleet.example`; `*` allows every page.
  public var listed: Set<String>

  /// - Parameter listed: origins as browsers send them, without a path.
  public init(_ listed: Set<String> = []) { self.listed = listed }

  /// - Parameters:
  ///   - origin: the value of the header; `nil` if there is none.
  ///   - host: the request's `Host`.
  func allow(_ origin: String?, host: String?) -> Bool {
    guard let origin else { return true }
    if listed.contains("*") || listed.contains(origin) { return true }
    guard let host, let scheme = ["http://", "https://"].first(where: { origin.hasPrefix($0) }) else { return false }
    return origin.dropFirst(scheme.utf8.count).lowercased() == host.lowercased()
  }
}
