/// The path of a route. It may contain parameters in braces, as in `/api/vehicles/{vehicleId}/telemetry`.
struct RoutePath: Equatable, Sendable {
  private enum Segment: Equatable, Sendable {
    case literal(Substring)
    case parameter(Substring)
  }

  /// The path with the names of its parameters in braces, as in `openapi.json`.
  let text: String
  private let segments: [Segment]

  init(_ text: String) {
    self.text = text
    segments = text.split(separator: "/").map { segment in
      segment.hasPrefix("{") ? .parameter(segment.dropFirst().dropLast()) : .literal(segment)
    }
  }

  /// The names of the path's parameters, in order.
  var parameters: [String] {
    segments.compactMap { segment in
      if case .parameter(let name) = segment { String(name) } else { nil }
    }
  }

  /// Returns the values of the parameters in the path of a request, in order and percent-encoded; `nil` if the path of
  /// the request does not match this path.
  ///
  /// - Parameter path: the segments of the request's path, including empty ones.
  func match(_ path: [Substring]) -> [Substring]? {
    guard path.count == segments.count else { return nil }
    var found: [Substring] = []
    for (segment, part) in zip(segments, path) {
      switch segment {
      case .literal(let text): guard part == text else { return nil }
      case .parameter:
        guard !part.isEmpty else { return nil }
        found.append(part)
      }
    }
    return found
  }
}
