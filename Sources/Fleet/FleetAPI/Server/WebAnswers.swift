import FleetWeb
import HTTPTypes

/// Answers requests for the files of the web app, which has every path outside the API.
struct WebAnswers: Sendable {
  /// The label of these requests in metrics.
  static let label = "/"
  /// What a page of the app may load: its own files, and the API of the same server. Images may also be made by the
  /// page (`data:`, `blob:`), for maps and photos. No inline script or style, and no `eval`.
  private static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    + "worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

  private let site: WebSite

  init(_ site: WebSite) { self.site = site }

  /// - Returns: `nil` if the API has to answer.
  func answer(to request: HTTPRequest) -> Answer? {
    guard request.method == .get || request.method == .head else { return nil }
    let path = (request.path ?? "/").prefix { $0 != "?" }
    guard path != "/api", !path.hasPrefix("/api/"), !FleetRoutes.webSocketPaths.contains(String(path)) else {
      return nil
    }
    let fields = request.headerFields
    let isNavigation = fields[.accept]?.contains("text/html") ?? false
    guard let file = site.file(at: path, isNavigation: isNavigation) else { return nil }
    let packed = file.packed.first { AcceptedCoding.accepts($0.coding, fields[.acceptEncoding]) }
    // Each representation has its own tag (RFC 9110, 8.8.3.3).
    let tag = "\"\(file.tag)\(packed.map { "-\($0.coding)" } ?? "")\""
    let isKnown = (try? Preconditions(fields).noneOf?.weaklyMatch(tag)) ?? false
    var answer = Answer(status: isKnown ? .notModified : .ok)
    answer.headers[.eTag] = tag
    answer.headers[.cacheControl] = file.isImmutable ? "public, max-age=31536000, immutable" : "no-cache"
    answer.headers.addVary("Accept-Encoding")
    answer.headers[.contentSecurityPolicy] = Self.policy
    answer.headers[.crossOriginOpenerPolicy] = "same-origin"
    guard !isKnown else { return answer }
    answer.headers[.contentType] = file.type
    answer.headers[.contentEncoding] = packed?.coding
    answer.body = packed?.content ?? file.plain
    return answer
  }
}

extension HTTPField.Name {
  static let crossOriginOpenerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")!
}
