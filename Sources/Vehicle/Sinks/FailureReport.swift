/// Reports a failure once, and not again while it is repeated.
struct FailureReport {
  private var last: SinkError?

  /// Records a failure.
  ///
  /// - Returns: the report; `nil` if the same failure was already reported.
  mutating func failed(_ error: SinkError) -> SinkEvent? {
    if let last, Self.isSame(error, last) { return nil }
    last = error
    return .failing(error)
  }

  /// Records a success.
  ///
  /// - Returns: whether the last attempt had failed.
  mutating func succeeded() -> Bool {
    defer { last = nil }
    return last != nil
  }

  /// Whether two failures are the same except for numbers. For example, curl's messages contain the elapsed
  /// milliseconds.
  private static func isSame(_ one: SinkError, _ other: SinkError) -> Bool {
    func words(_ error: SinkError) -> [Substring.UTF8View] {
      error.detail.utf8.split { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }
    return one.kind == other.kind && one.place == other.place
      && words(one).elementsEqual(words(other)) { $0.elementsEqual($1) }
  }
}
