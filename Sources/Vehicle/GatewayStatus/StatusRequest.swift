/// A client's request, read from its first line. The daemon supports only a part of HTTP (RFC 9112, 3): `GET` with a
/// path.
enum StatusRequest: Equatable {
  case status, metrics, records
  /// The request is invalid. The answer has this status code and this text of one line.
  case refused(Int, String)

  /// Maximum length of the head of a request, bytes.
  static let limit = 8_192

  /// Parses a request.
  ///
  /// - Parameters:
  ///   - bytes: all bytes that were received until now.
  ///   - isLocal: whether the request was received through the local socket. Other clients may read only the metrics.
  /// - Returns: the request; `nil` if its head is incomplete.
  init?(_ bytes: [UInt8], isLocal: Bool) {
    guard Self.isWhole(bytes) else {
      guard bytes.count >= Self.limit else { return nil }
      self = .refused(431, "the request's head is too long")
      return
    }
    let line = bytes.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
    let words = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
    guard words.count == 3, words[2].hasPrefix("HTTP/1.") else {
      self = .refused(400, "expected an HTTP/1.1 request")
      return
    }
    let path = words[1].split(separator: "?", omittingEmptySubsequences: false).first.map { String($0) } ?? ""
    switch (words[0], path) {
    case ("GET", "/metrics"): self = .metrics
    case ("GET", "/status") where isLocal: self = .status
    case ("GET", "/records") where isLocal: self = .records
    case ("GET", "/status"), ("GET", "/records"): self = .refused(403, "served by the local socket only")
    case ("GET", _): self = .refused(404, "expected /status, /records or /metrics")
    default: self = .refused(405, "expected GET")
    }
  }

  /// Whether the head of the request is complete. An empty line ends it.
  private static func isWhole(_ bytes: [UInt8]) -> Bool {
    var newlines = 0
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\n"):
        newlines += 1
        if newlines == 2 { return true }
      case UInt8(ascii: "\r"): continue
      default: newlines = 0
      }
    }
    return false
  }
}

/// Functions that build HTTP answers.
enum StatusAnswer {
  static func head(_ code: Int, _ type: StaticString, length: Int?) -> [UInt8] {
    let words =
      switch code {
      case 200: "OK"
      case 400: "Bad Request"
      case 403: "Forbidden"
      case 404: "Not Found"
      case 405: "Method Not Allowed"
      case 431: "Request Header Fields Too Large"
      default: "Service Unavailable"
      }
    var text = "HTTP/1.1 \(code) \(words)\r\nContent-Type: \(type)\r\nCache-Control: no-store\r\nConnection: close\r\n"
    if let length { text += "Content-Length: \(length)\r\n" }
    return Array((text + "\r\n").utf8)
  }

  static func whole(_ type: StaticString, _ body: [UInt8]) -> [UInt8] { head(200, type, length: body.count) + body }

  static func refusal(_ code: Int, _ reason: String) -> [UInt8] {
    let body = Array((reason + "\n").utf8)
    return head(code, "text/plain; charset=utf-8", length: body.count) + body
  }
}
