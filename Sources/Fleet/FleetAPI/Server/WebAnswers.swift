import FleetWeb
import HTTPTypes

/// Answers requests for files of the web app. Each path that does not belong to the API belongs to the app.
struct WebAnswers: Sendable {
  /// The label of requests for the web app in metrics.
  static let label = "/"
  /// The content security policy of pages. A page may load only files from the same server, and images that the page
  /// itself creates (`data:`, `blob:`) for maps and photos. It may send requests only to the same server and, if
  /// configured, to the server of map tiles. Scripts and styles inside the page are not allowed, and neither is `eval`.
  private let policy: String

  private let site: WebSite

  init(_ site: WebSite) {
    self.site = site
    let tiles = site.map?.origin.map { " " + $0 } ?? ""
    policy =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:\(tiles); "
      + "connect-src 'self'\(tiles); worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; "
      + "frame-ancestors 'none'"
  }

  /// Whether a request is for the web app and not for the API.
  func isFor(_ request: HTTPRequest) -> Bool {
    guard request.method == .get || request.method == .head else { return false }
    let path = Self.path(of: request)
    return path != "/api" && !path.hasPrefix("/api/") && !FleetRoutes.webSocketPaths.contains(String(path))
  }

  private static func path(of request: HTTPRequest) -> Substring { (request.path ?? "/").prefix { $0 != "?" } }

  /// Answers a request for the web app with a file of the app, or with a part of its base map.
  ///
  /// - Returns: `nil` if the app has no such file.
  func answer(to request: HTTPRequest) async throws -> Answer? {
    let path = Self.path(of: request)
    if let answer = try await mapAnswer(at: path) { return answer }
    let fields = request.headerFields
    let isNavigation = fields[.accept]?.contains("text/html") ?? false
    guard let file = site.file(at: path, isNavigation: isNavigation) else { return nil }
    let packed = file.packed.first { AcceptedCoding.accepts($0.coding, fields[.acceptEncoding]) }
    // Each representation of a file has its own entity tag (RFC 9110, 8.8.3.3).
    let tag = "\"\(file.tag)\(packed.map { "-\($0.coding)" } ?? "")\""
    let isKnown = (try? Preconditions(fields).noneOf?.weaklyMatch(tag)) ?? false
    var answer = Answer(status: isKnown ? .notModified : .ok)
    answer.headers[.eTag] = tag
    answer.headers[.cacheControl] = file.isImmutable ? "public, max-age=31536000, immutable" : "no-cache"
    answer.headers.addVary("Accept-Encoding")
    answer.headers[.contentSecurityPolicy] = policy
    answer.headers[.crossOriginOpenerPolicy] = "same-origin"
    guard !isKnown else { return answer }
    answer.headers[.contentType] = file.type
    answer.headers[.contentEncoding] = packed?.coding
    answer.body = packed?.content ?? file.plain
    answer.isShared = true
    return answer
  }

  /// Returns an answer with the description of the base map or with one of its tiles; `nil` for other paths.
  private func mapAnswer(at path: Substring) async throws -> Answer? {
    guard let map = site.map else {
      // There is no base map. The app then draws its own outline map.
      return path == BaseMap.descriptionPath ? Answer(status: .noContent) : nil
    }
    if path == BaseMap.descriptionPath {
      var answer = Answer(type: "application/json", bytes: Array(map.description.utf8))
      answer.headers[.cacheControl] = "no-cache"
      return answer
    }
    guard let tile = map.tile(at: path) else { return nil }
    guard let content = try await map.content(of: tile) else { return Answer(status: .noContent) }
    var answer = Answer(type: map.format.type, bytes: content.bytes)
    if content.isPacked { answer.headers[.contentEncoding] = "gzip" }
    answer.headers[.cacheControl] = "public, max-age=86400"
    return answer
  }
}

extension HTTPField.Name {
  static let crossOriginOpenerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")!
}
