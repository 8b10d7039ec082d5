/// Chooses the content coding of an answer (RFC 9110, 12.5.3).
enum AcceptedCoding {
  /// Returns the coding that the client prefers. If it gives zstd and gzip the same weight, the answer uses zstd.
  ///
  /// - Parameter field: the value of `Accept-Encoding`; if `nil`, the answer is not compressed.
  static func choose(_ field: String?) -> ContentCoding {
    guard let field else { return .identity }
    let weights = weights(of: field)
    func weight(_ coding: ContentCoding) -> Double { weights[coding.rawValue] ?? weights["*"] ?? 0 }
    let identity = weights["identity"] ?? 0
    let best: ContentCoding = weight(.gzip) > weight(.zstd) ? .gzip : .zstd
    return weight(best) > 0 && weight(best) >= identity ? best : .identity
  }

  /// Whether the client accepts an answer in a content coding.
  ///
  /// - Parameter field: the value of `Accept-Encoding`; `nil` if the request has no such header.
  static func accepts(_ coding: String, _ field: String?) -> Bool {
    guard let field else { return false }
    let weights = weights(of: field)
    return weights[coding] ?? weights["*"] ?? 0 > 0
  }

  /// Returns the weight of each coding in the header, by the coding's name in lower case.
  private static func weights(of field: String) -> [String: Double] {
    var weights: [String: Double] = [:]
    // Clients normally send fewer than 32 elements. Ignore further elements, so that a long header costs little time.
    for element in field.split(separator: ",").prefix(32) {
      let parts = element.split(separator: ";")
      guard let name = parts.first?.trimmed.lowercased() else { continue }
      let weight =
        parts.dropFirst().map(\.trimmed).first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      weights[name == "x-gzip" ? "gzip" : name] = weight
    }
    return weights
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    var text = self
    while text.first == " " || text.first == "\t" { text.removeFirst() }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return text
  }
}
