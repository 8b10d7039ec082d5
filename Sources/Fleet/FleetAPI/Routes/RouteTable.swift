import FleetDomain
import HTTPTypes

/// The table of all routes. Finds the route of a request by its method and path.
struct RouteTable: Sendable {
  let routes: [Route]

  /// The result of a search for the route of a request.
  enum Match {
    case found(Route, parameters: [String])
    /// The path exists, but not for this method. The value contains the methods for which it exists.
    case otherMethods([HTTPRequest.Method])
    /// No route has the path.
    case none
  }

  /// Finds the route of a request.
  ///
  /// - Parameter path: the path of the request without the query, percent-encoded.
  /// - Throws: 400 if the percent-encoding is invalid.
  func match(_ method: HTTPRequest.Method, _ path: Substring) throws(APIError) -> Match {
    guard path.first == "/" else { return .none }
    let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    var others: [HTTPRequest.Method] = []
    // A HEAD request is handled like GET, because every resource that supports GET supports HEAD (RFC 9110, section
    // 9.3.2).
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
