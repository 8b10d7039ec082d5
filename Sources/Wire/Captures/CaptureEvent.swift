/// The direction of an event's bytes.
public enum CaptureDirection: UInt8, Sendable {
  /// A command with its CR.
  case toAdapter
  /// Output of the adapter: echo, lines, prompt.
  case fromAdapter
  /// Sentences of a GNSS receiver.
  case fromGPS
}

/// The time of an event, as precisely as the log states it.
public enum CaptureTime: BitwiseCopyable, Hashable, Sendable {
  /// The log contains no times.
  case none
  /// Nanoseconds since the start of the capture. For a log with times of day but no dates, they count from the first
  /// event, across midnight.
  case offset(Int64)
  /// Nanoseconds since 1970-01-01T00:00:00Z. Times without a zone are treated as UTC.
  case wall(Int64)
}

/// Receives the events of a capture in the order of the log.
///
/// The reader calls ``header(recorded:vehicle:adapter:provenance:)`` at most once, before the first ``bytes(_:at:_:)``,
/// and only for formats with a header. The spans are valid during the call only.
public protocol CaptureConsumer: ~Copyable {
  /// Receives the header; missing fields are empty.
  ///
  /// - Parameter recorded: start of the recording, ns since 1970 UTC; `nil` if unknown.
  mutating func header(
    recorded: Int64?, vehicle: Span<UInt8>, adapter: Span<UInt8>, provenance: Span<UInt8>)

  /// Receives one event: the bytes as transmitted, unescaped. For `raw` and `nmea`, each chunk is one event.
  mutating func bytes(_ direction: CaptureDirection, at time: CaptureTime, _ bytes: Span<UInt8>)
}
