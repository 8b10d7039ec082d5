/// Says a failure once: while it stays the same it is nothing new.
struct FailureReport {
  private var last: SinkError?

  /// - Returns: what to say; nil: that was said.
  mutating func failed(_ error: SinkError) -> SinkNews? {
    if let last, Self.isSame(error, last) { return nil }
    last = error
    return .failing(error)
  }

  /// - Returns: whether it had failed before.
  mutating func succeeded() -> Bool {
    defer { last = nil }
    return last != nil
  }

  /// Whether two failures differ in figures at most: curl says how many milliseconds it took to find nobody.
  private static func isSame(_ one: SinkError, _ other: SinkError) -> Bool {
    func words(_ error: SinkError) -> [Substring.UTF8View] {
      error.detail.utf8.split { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }
    return one.kind == other.kind && one.place == other.place
      && words(one).elementsEqual(words(other)) { $0.elementsEqual($1) }
  }
}
