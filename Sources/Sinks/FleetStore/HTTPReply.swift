/// What a server answered.
struct HTTPReply: Equatable, Sendable {
  var status: Int
  var body: [UInt8] = []
  var retryAfter = ""
  var date = ""
  var etag = ""
  var location = ""
  /// Whose key the request came with, where the server tells.
  var gateway = ""

  init(status: Int, body: [UInt8] = []) {
    self.status = status
    self.body = body
  }

  /// How long it asks to be left alone, ns.
  var wait: Int64? { retryAfter.isEmpty ? nil : RetryAfter.nanoseconds(retryAfter, date: date) }

  /// A page for people: a proxy's or a web server's own words, and no API's.
  var isPage: Bool { body.first { !Unicode.Scalar($0).properties.isWhitespace } == UInt8(ascii: "<") }

  /// What it says of itself, for people: the beginning of its body on one line.
  var summary: String {
    let line = PeerText.shown(String(decoding: body.prefix(200), as: UTF8.self))
    return line.isEmpty ? "\(status)" : "\(status): \(line)"
  }
}
