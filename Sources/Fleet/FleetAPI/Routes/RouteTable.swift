import HTTPTypes

/// All routes, with a search by method and path.
struct RouteTable: Sendable {
  let routes: [Route]

  /// The result of a search.
  enum Match {
    case found(Route, parameters: [String])
    /// The path exists, but not with this method.
    case otherMethods([HTTPRequest.Method])
    case none
  }

  /// Finds the route of a request.
  ///
  /// - Parameter path: percent-encoded, without the query.
  /// - Throws: 400 if the encoding is invalid.
  func match(_ method: HTTPRequest.Method, _ path: Substring) throws(APIError) -> Match {
    guard path.first == "/" else { return .none }
    let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    var others: [HTTPRequest.Method] = []
    // A HEAD request is handled as GET, because every resource with GET has HEAD (RFC 9110, 9.3.2).
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
