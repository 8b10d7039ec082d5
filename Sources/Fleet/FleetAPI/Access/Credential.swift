import FleetAccess
import HTTPTypes

/// The secret that authenticates a request.
enum Credential: Equatable, Sendable {
  /// A key or token in the header `Authorization`.
  case bearer(String)
  /// The cookie of a browser that has signed in. Browsers add it to every request to this server, even if a page of
  /// another site makes the request.
  case cookie(String)

  /// The secret itself. It must never be logged.
  var secret: String {
    switch self {
    case .bearer(let secret), .cookie(let secret): secret
    }
  }

  /// Finds the credential of a request; `nil` if it has none. The header `Authorization` takes precedence over a
  /// cookie. The value of a session cookie is not accepted in this header: only browsers have it, and they send it as a
  /// cookie.
  ///
  /// - Parameter isTLS: whether the client used TLS.
  init?(_ headers: HTTPFields, isTLS: Bool) {
    if let token = BearerToken.parse(headers[.authorization]) {
      guard Self.mayBeKey(token) else { return nil }
      self = .bearer(token)
    } else if let cookie = SessionCookie.session.value(in: headers, isTLS: isTLS),
      !Self.mayBeKey(cookie)
    {
      self = .cookie(cookie)
    } else {
      return nil
    }
  }

  /// Whether a text may be a key or token that a program sends; `false` for the value of a session cookie.
  static func mayBeKey(_ text: String) -> Bool { !text.hasPrefix(Secret.Purpose.sessionCookie.rawValue) }
}

/// A cookie that the server sets (RFC 6265).
///
/// Over TLS, its name has the prefix `__Host-`. Browsers then send the cookie only to this host, and allow no other
/// host to set it. The prefix is not used over plain HTTP, where browsers reject it. The server allows plain HTTP only
/// on the same machine.
struct SessionCookie: Sendable {
  private let name: String

  /// The cookie that identifies a session.
  static let session = SessionCookie(name: "fleet-session")
  /// The cookie that proves that a person has signed in from this browser before.
  static let device = SessionCookie(name: "fleet-device")
  /// The cookie that marks the browser in which a sign-in at an OpenID provider began.
  static let provider = SessionCookie(name: "fleet-provider")

  private func name(isTLS: Bool) -> String { isTLS ? "__Host-" + name : name }

  /// Returns the cookie's value in a request; `nil` if the request has no such cookie, or several.
  func value(in headers: HTTPFields, isTLS: Bool) -> String? {
    let name = name(isTLS: isTLS)
    var found: String?
    for field in headers[values: .cookie] where field.utf8.count <= 8_192 {
      for pair in field.split(separator: ";") {
        let text = pair.drop { $0 == " " }
        guard text.hasPrefix(name), text.dropFirst(name.count).first == "=" else { continue }
        guard found == nil else { return nil }
        found = String(text.dropFirst(name.count + 1))
      }
    }
    return found.flatMap { $0.isEmpty || $0.utf8.count > 512 ? nil : $0 }
  }

  /// Returns the header `Set-Cookie`.
  ///
  /// - Parameter seconds: time until the browser deletes the cookie; 0 to delete it now.
  func field(_ value: String, isTLS: Bool, seconds: Int) -> String {
    "\(name(isTLS: isTLS))=\(value); Path=/; HttpOnly; SameSite=Lax; Max-Age=\(seconds)" + (isTLS ? "; Secure" : "")
  }
}

/// Checks that one of the server's own pages made a request that changes something. Without this check, a page of
/// another site could use the browser's cookies (cross-site request forgery).
enum SameOrigin {
  /// Checks a request.
  ///
  /// - Parameters:
  ///   - own: the check for the origin of the server's own pages, which accepts no other origin.
  ///   - isCookie: whether the request's credential is a cookie. A request with another credential is rejected only if
  ///     its headers name another site.
  /// - Throws: 403 if the request must be rejected.
  static func check(_ request: HTTPRequest, own: AllowedOrigins, isCookie: Bool) throws(APIError) {
    switch request.method {
    case .get, .head, .options: return
    default: break
    }
    let site = request.headerFields[.secFetchSite]
    let origin = request.headerFields[.origin]
    let isOwnSite = site.map { $0 == "same-origin" || (!isCookie && $0 == "none") }
    let isOwnOrigin = origin.map { own.allow($0, host: request.authority) }
    guard isOwnSite ?? true, isOwnOrigin ?? true, !isCookie || isOwnSite != nil || isOwnOrigin != nil else {
      throw APIError(
        .forbidden, "crossSite",
        "this request must come from a page of this server: its Origin or Sec-Fetch-Site says otherwise, or is missing")
    }
  }
}
