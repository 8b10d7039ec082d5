/// The sender of an event's bytes.
public enum CaptureDirection: UInt8, Sendable {
  /// The program sent a command to the adapter, including its CR.
  case toAdapter
  /// The adapter sent its output: echo, lines, prompt.
  case fromAdapter
  /// A GNSS receiver sent NMEA sentences.
  case fromGPS
}

/// The time of an event, in the form in which the log states it.
public enum CaptureTime: BitwiseCopyable, Hashable, Sendable {
  /// The log contains no times.
  case none
  /// Nanoseconds since the start of the capture. If the log contains times of day but no dates, the first event is at
  /// 0, and the offset continues to increase after midnight.
  case offset(Int64)
  /// A date with a time, ns since 1970-01-01T00:00:00Z. A time without a zone is treated as UTC.
  case wall(Int64)
}

/// Receives the events of a capture in the order of the log.
///
/// The reader calls ``header(recorded:vehicle:adapter:provenance:)`` at most once, before the first call of
/// ``bytes(_:at:_:)``, and only for formats with a header. The spans are valid only during the call.
public protocol CaptureConsumer: ~Copyable {
  /// Receives the fields of the capture's header. Missing fields are empty.
  ///
  /// - Parameter recorded: time when the recording began, ns since 1970 UTC; `nil` if unknown.
  mutating func header(
    recorded: Int64?, vehicle: Span<UInt8>, adapter: Span<UInt8>, provenance: Span<UInt8>)

  /// Receives one event, with its bytes as they were transmitted, without escape sequences. In the formats `raw` and
  /// `nmea`, each chunk that the reader receives is one event.
  mutating func bytes(_ direction: CaptureDirection, at time: CaptureTime, _ bytes: Span<UInt8>)
}
