/// Which way the bytes of an event went.
public enum CaptureDirection: UInt8, Sendable {
  /// A command, with its CR.
  case toAdapter
  /// Whatever the adapter printed: echo, lines, prompt.
  case fromAdapter
  /// Sentences of a GNSS receiver.
  case fromGPS
}

/// When an event happened, as far as the log tells.
public enum CaptureTime: BitwiseCopyable, Hashable, Sendable {
  /// The log gives no time.
  case none
  /// Nanoseconds from the start of the capture. A log with times of day but no date counts from its first event,
  /// over midnight.
  case offset(Int64)
  /// Nanoseconds since 1970-01-01T00:00:00Z. A log that names no zone is taken as UTC, since nothing in it tells.
  case wall(Int64)
}

/// Takes the events of a capture, in the order of the log.
///
/// The reader calls ``header(recorded:vehicle:adapter:provenance:)`` at most once, before the first
/// ``bytes(_:at:_:)``, and only for formats that have one. The spans are valid during the call alone.
public protocol CaptureConsumer: ~Copyable {
  /// What the capture's own header says; an empty span is a field that it lacks.
  ///
  /// - Parameter recorded: when the recording began, in nanoseconds since 1970 UTC.
  mutating func header(
    recorded: Int64?, vehicle: Span<UInt8>, adapter: Span<UInt8>, provenance: Span<UInt8>)

  /// One event: bytes as they were on the wire, escapes undone. For `raw` and `nmea`, one call for each chunk read.
  mutating func bytes(_ direction: CaptureDirection, at time: CaptureTime, _ bytes: Span<UInt8>)
}
