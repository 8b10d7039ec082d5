/// Says a failure once: while it stays the same it is nothing new.
struct FailureReport {
  private var last: SinkError?

  /// - Returns: what to say; nil: that was said.
  mutating func failed(_ error: SinkError) -> SinkNews? {
    guard error != last else { return nil }
    last = error
    return .failing(error)
  }

  /// - Returns: whether it had failed before.
  mutating func succeeded() -> Bool {
    defer { last = nil }
    return last != nil
  }
}
