/// Reports a failure once. Repetitions of the same failure are not reported.
struct FailureReport {
  private var last: SinkError?

  /// Remembers that an attempt has failed.
  ///
  /// - Returns: the report; `nil` if the same failure was already reported.
  mutating func failed(_ error: SinkError) -> SinkEvent? {
    if let last, Self.isSame(error, last) { return nil }
    last = error
    return .failing(error)
  }

  /// Remembers that an attempt has succeeded.
  ///
  /// - Returns: whether the previous attempt had failed.
  mutating func succeeded() -> Bool {
    defer { last = nil }
    return last != nil
  }

  /// Whether two failures are the same if numbers in their details are ignored. For example, curl's messages contain
  /// the elapsed milliseconds.
  private static func isSame(_ one: SinkError, _ other: SinkError) -> Bool {
    func words(_ error: SinkError) -> [Substring.UTF8View] {
      error.detail.utf8.split { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }
    return one.kind == other.kind && one.place == other.place
      && words(one).elementsEqual(words(other)) { $0.elementsEqual($1) }
  }
}
