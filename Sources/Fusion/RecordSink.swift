/// Takes finished records, in the order of their `seq`.
///
/// Call order: one call for each record; the bytes are valid during the call only.
public protocol RecordSink: ~Copyable {
  /// - Parameter line: one JSON object with its line feed.
  mutating func record(_ line: Span<UInt8>)
  /// The same, with the record's time on the caller's line: a spool keeps it beside the record.
  mutating func record(_ line: Span<UInt8>, at time: Int64)
}

extension RecordSink where Self: ~Copyable {
  /// Hands the line on without its time.
  public mutating func record(_ line: Span<UInt8>, at time: Int64) { record(line) }
}
