import HTTPTypes

/// All routes, and which of them a request means.
struct RouteTable: Sendable {
  let routes: [Route]

  /// What a request's path and method mean.
  enum Match {
    case found(Route, parameters: [String])
    /// There is the path, but not this method.
    case otherMethods([HTTPRequest.Method])
    case none
  }

  /// - Parameter path: without the query, percent-encoded as it came.
  /// - Throws: 400 where the encoding is broken.
  func match(_ method: HTTPRequest.Method, _ path: Substring) throws(APIError) -> Match {
    guard path.first == "/" else { return .none }
    let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    var others: [HTTPRequest.Method] = []
    // Whoever may be asked for a body may be asked for its headers alone (RFC 9110, 9.3.2).
    let wanted = method == .head ? .get : method
    for route in routes {
      guard let found = route.path.match(segments) else { continue }
      guard route.method == wanted else {
        others.append(route.method)
        continue
      }
      var parameters: [String] = []
      for part in found {
        guard let text = PercentCoding.decode(part) else {
          throw APIError.badRequest("path: \(quoted(part)) is not percent-encoded UTF-8")
        }
        parameters.append(text)
      }
      return .found(route, parameters: parameters)
    }
    return others.isEmpty ? .none : .otherMethods(others)
  }
}
