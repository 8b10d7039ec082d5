/// Parses an `Authorization` header (RFC 6750, 2.1).
enum BearerToken {
  /// Returns the token; `nil` if there is no header, or if its scheme is not `Bearer`.
  static func parse(_ field: String?) -> String? {
    guard let field, field.utf8.count > 7, field.utf8.count <= 512, field.prefix(7).lowercased() == "bearer " else {
      return nil
    }
    let token = field.dropFirst(7).drop { $0 == " " }
    return token.isEmpty ? nil : String(token)
  }
}
