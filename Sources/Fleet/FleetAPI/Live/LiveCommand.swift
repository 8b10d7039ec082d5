import JSONText

/// A command that a WebSocket client sends as a JSON message.
///
///     {"action":"authenticate","token":"…"}
///     {"action":"subscribe","channel":"vehicle:VAN-001","after":4711}
///     {"action":"subscribe","channel":"fleet","changes":true,"records":false}
///     {"action":"unsubscribe","channel":"fleet"}
///     {"action":"ping"}
enum LiveCommand: Equatable, Sendable {
  case authenticate(token: String)
  /// `after` is the number of the last record that the client has received; `nil` if the client wants only new records.
  case subscribe(channel: String, after: Int64?, content: LiveContent)
  case unsubscribe(channel: String)
  case ping

  private static let actions = ["authenticate", "subscribe", "unsubscribe", "ping"]

  /// Parses a command.
  ///
  /// - Throws: the first error in the JSON text, with its position.
  init(parsing text: [UInt8]) throws(JSONError) {
    let document = try JSONDocument(parsing: text, maximumDepth: 4)
    var reader = try JSONObjectReader(document.root)
    switch try reader.requiredString("action", oneOf: Self.actions) {
    case "authenticate": self = .authenticate(token: try reader.requiredString("token"))
    case "subscribe":
      self = .subscribe(
        channel: try reader.requiredString("channel"),
        after: try reader.optionalInt("after", in: 0 ... .max).map { Int64($0) },
        content: LiveContent(
          hasRecords: try reader.optionalBool("records") ?? true,
          hasChanges: try reader.optionalBool("changes") ?? false))
    case "unsubscribe": self = .unsubscribe(channel: try reader.requiredString("channel"))
    default: self = .ping
    }
    try reader.finish()
  }
}

/// The messages that a client wants to receive on a channel.
struct LiveContent: Equatable, Sendable {
  /// Whether the client receives records and, on the channel `me`, notifications.
  var hasRecords = true
  /// Whether the client receives changes of things.
  var hasChanges = false
}
