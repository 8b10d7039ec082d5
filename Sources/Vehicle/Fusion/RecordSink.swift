/// A receiver of finished records. It receives them in the order of their `seq`.
///
/// Each call passes one record, whose bytes are valid only during the call.
public protocol RecordSink: ~Copyable {
  /// Receives a record.
  ///
  /// - Parameter line: one JSON object with its line feed.
  mutating func record(_ line: Span<UInt8>)
  /// Receives a record together with its time, in ns of the caller's clock. A spool stores both.
  mutating func record(_ line: Span<UInt8>, at time: Int64)
}

extension RecordSink where Self: ~Copyable {
  /// Passes the record to ``record(_:)`` without its time.
  public mutating func record(_ line: Span<UInt8>, at time: Int64) { record(line) }
}
