import Logging

/// Log lines on stderr with the priority that journald reads (sd-daemon(3)): `<6>listening on http://127.0.0.1:8080`.
struct PriorityLog: LogHandler {
  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let priority =
      switch event.level {
      case .trace, .debug: 7
      case .info: 6
      case .notice: 5
      case .warning: 4
      case .error: 3
      case .critical: 2
      }
    // One entry is one line, whatever a client has put into it.
    let text = event.message.description.map { $0.isNewline ? " " : $0 }
    let details = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
      .map { " \($0.key)=\($0.value)" }.joined()
    StandardError.say("<\(priority)>" + String(text) + details)
  }
}
