import Peers

/// A reply of an HTTP server. Headers that are missing are empty texts.
struct HTTPReply: Equatable, Sendable {
  var status: Int
  var body: [UInt8] = []
  var retryAfter = ""
  var date = ""
  var etag = ""
  var location = ""
  /// The gateway to which the request's key belongs (`Obdgate-Gateway`); empty if the server does not report it.
  var gateway = ""

  init(status: Int, body: [UInt8] = []) {
    self.status = status
    self.body = body
  }

  /// The time for which the server asks to wait, ns; `nil` if it does not ask.
  var wait: Int64? { retryAfter.isEmpty ? nil : RetryAfter.nanoseconds(retryAfter, date: date) }

  /// Whether the body is HTML. It then comes from a proxy or a web server, not from the API.
  var isPage: Bool { body.first { !Unicode.Scalar($0).properties.isWhitespace } == UInt8(ascii: "<") }

  /// The status and the beginning of the body, on one line for messages.
  var summary: String {
    let line = PeerText.shown(String(decoding: body.prefix(200), as: UTF8.self))
    return line.isEmpty ? "\(status)" : "\(status): \(line)"
  }
}
