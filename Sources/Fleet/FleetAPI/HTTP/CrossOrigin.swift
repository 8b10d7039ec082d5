import HTTPTypes

/// Allows web pages from the origins in the setting `live.origins` to read answers (Fetch standard, section 3.2: CORS).
///
/// Such a page sends its key in the header `Authorization`. It cannot use cookies: no answer allows credentials for
/// another origin.
struct CrossOrigin: Sendable {
  let origins: AllowedOrigins

  /// Adds the headers that allow the page that sent the request to read the answer.
  func allow(_ request: HTTPFields, in answer: inout HTTPFields) {
    guard !origins.listed.isEmpty else { return }
    // A cache must not give an answer for a page of one origin to a page of another origin.
    answer.addVary("Origin")
    guard let origin = allowed(request) else { return }
    answer[.accessControlAllowOrigin] = origin
    answer[.accessControlExposeHeaders] = "ETag, Location, Retry-After, Obdgate-Gateway"
  }

  /// Answers a preflight request: a browser sends it before a page's request to another origin.
  ///
  /// - Parameter methods: the HTTP methods that the path supports.
  /// - Returns: `nil` if the request is not a preflight request, or if the origin is not allowed.
  func preflight(_ request: HTTPRequest, methods: [HTTPRequest.Method]) -> Answer? {
    let fields = request.headerFields
    guard request.method == .options, fields[.accessControlRequestMethod] != nil, allowed(fields) != nil else {
      return nil
    }
    var answer = Answer(status: .noContent)
    answer.headers[.accessControlAllowMethods] = methods.map(\.rawValue).joined(separator: ", ")
    answer.headers[.accessControlAllowHeaders] =
      "Authorization, Content-Type, Content-Encoding, If-Match, If-None-Match"
    answer.headers[.accessControlMaxAge] = "600"
    answer.headers.addVary("Access-Control-Request-Method")
    answer.headers.addVary("Access-Control-Request-Headers")
    return answer
  }

  private func allowed(_ fields: HTTPFields) -> String? {
    guard let origin = fields[.origin] else { return nil }
    return origins.listed.contains("*") || origins.listed.contains(origin) ? origin : nil
  }
}

extension HTTPFields {
  /// Adds a name to the header `Vary`.
  mutating func addVary(_ name: String) {
    self[.vary] = self[.vary].map { "\($0), \(name)" } ?? name
  }
}
