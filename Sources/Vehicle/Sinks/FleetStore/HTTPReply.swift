/// A reply of an HTTP server. Missing headers are empty.
struct HTTPReply: Equatable, Sendable {
  var status: Int
  var body: [UInt8] = []
  var retryAfter = ""
  var date = ""
  var etag = ""
  var location = ""
  /// Gateway of the key in the request (`Obdgate-Gateway`); empty if the server does not report it.
  var gateway = ""

  init(status: Int, body: [UInt8] = []) {
    self.status = status
    self.body = body
  }

  /// The delay that the server requests, ns; `nil` if it requests none.
  var wait: Int64? { retryAfter.isEmpty ? nil : RetryAfter.nanoseconds(retryAfter, date: date) }

  /// Whether the body is HTML, as from a proxy or a web server, and not from the API.
  var isPage: Bool { body.first { !Unicode.Scalar($0).properties.isWhitespace } == UInt8(ascii: "<") }

  /// Status and the beginning of the body on one line, for messages.
  var summary: String {
    let line = PeerText.shown(String(decoding: body.prefix(200), as: UTF8.self))
    return line.isEmpty ? "\(status)" : "\(status): \(line)"
  }
}
