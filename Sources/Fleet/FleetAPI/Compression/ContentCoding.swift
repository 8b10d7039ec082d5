/// The compression of a body (RFC 9110, 8.4.1).
enum ContentCoding: String, CaseIterable, Sendable {
  case identity, gzip, zstd

  /// Finds the coding of a request's body.
  ///
  /// - Parameter field: the value of `Content-Encoding`; `nil` if the request has no such header.
  /// - Throws: 415 for an unknown coding, or for several codings.
  init(field: String?) throws(APIError) {
    guard let field else {
      self = .identity
      return
    }
    guard let coding = ContentCoding(rawValue: field.lowercased() == "x-gzip" ? "gzip" : field.lowercased()) else {
      throw APIError(
        .unsupportedMediaType, "unsupportedEncoding",
        "Content-Encoding: expected zstd, gzip or none, found \(quoted(field))")
    }
    self = coding
  }
}
