import Peers

/// The reply of an HTTP server. A header that is missing is an empty string.
struct HTTPReply: Equatable, Sendable {
  var status: Int
  var body: [UInt8] = []
  var retryAfter = ""
  var date = ""
  var etag = ""
  var location = ""
  /// The ID of the gateway to which the request's token belongs (header `Obdgate-Gateway`); empty if the server does
  /// not send it.
  var gateway = ""

  init(status: Int, body: [UInt8] = []) {
    self.status = status
    self.body = body
  }

  /// The time for which the server asks the client to wait (`Retry-After`), ns; `nil` if it does not ask.
  var wait: Int64? { retryAfter.isEmpty ? nil : RetryAfter.nanoseconds(retryAfter, date: date) }

  /// Whether the body is HTML. The reply then comes from a proxy or another web server, not from the API.
  var isPage: Bool { body.first { !Unicode.Scalar($0).properties.isWhitespace } == UInt8(ascii: "<") }

  /// The status and the beginning of the body, as one text line for messages.
  var summary: String {
    let line = PeerText.shown(String(decoding: body.prefix(200), as: UTF8.self))
    return line.isEmpty ? "\(status)" : "\(status): \(line)"
  }
}
