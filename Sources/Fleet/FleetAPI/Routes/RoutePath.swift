/// A path with places for what changes: `/api/vehicles/{vehicleId}/telemetry`.
struct RoutePath: Equatable, Sendable {
  private enum Segment: Equatable, Sendable {
    case literal(Substring)
    case parameter(Substring)
  }

  /// As `openapi.json` writes it.
  let text: String
  private let segments: [Segment]

  init(_ text: String) {
    self.text = text
    segments = text.split(separator: "/").map { segment in
      segment.hasPrefix("{") ? .parameter(segment.dropFirst().dropLast()) : .literal(segment)
    }
  }

  /// Names of the places.
  var parameters: [String] {
    segments.compactMap { segment in
      if case .parameter(let name) = segment { String(name) } else { nil }
    }
  }

  /// What stands in the places of a request's path, still percent-encoded; nil where the path is another.
  ///
  /// - Parameter path: its segments, empty ones included.
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
