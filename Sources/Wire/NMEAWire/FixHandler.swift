/// Receives fixes and reports from a ``FixReader``, in the order of the stream.
///
/// ``FixReader/receive(_:into:)``, ``FixReader/flush(into:)`` and ``FixReader/finish(into:)`` call the handler
/// synchronously, on the caller's thread. The handler receives fixes in the order of their epochs. The reader calls
/// `rejected` or `accepted` when a sentence ends, which is before it calls `fix` for the sentence's epoch.
public protocol FixHandler: ~Copyable {
  /// Receives the fix of an epoch that has ended.
  mutating func fix(_ fix: Fix)

  /// Reports that a sentence was rejected. None of its data is used.
  ///
  /// - Parameters:
  ///   - reason: why the sentence was rejected.
  ///   - sentence: the bytes from its `$` up to the byte that ended it. The span is valid only during the call.
  ///   - position: number of bytes before its `$` in the stream.
  mutating func rejected(_ reason: RejectReason, sentence: Span<UInt8>, position: UInt64)

  /// Reports a sentence that was not rejected, even if its data is not needed for fixes. The default implementation
  /// does nothing.
  mutating func accepted(_ kind: SentenceKind)
}

extension FixHandler where Self: ~Copyable {
  public mutating func accepted(_ kind: SentenceKind) {}
}

/// Reasons for rejecting a sentence.
///
/// Bytes outside a sentence (AIS, UBX, SiRF binary, a modem's prefix, comments) are skipped without a report.
public enum RejectReason: UInt8, BitwiseCopyable, Equatable, Error, Sendable {
  /// The text line ended without `*hh`. NMEA 0183 does not require a checksum for most sentences, but without one a
  /// truncated sentence cannot be detected. The program gpsd also ignores receivers that send no checksums.
  case missingChecksum
  /// The `*` is not followed by two hexadecimal digits.
  case malformedChecksum
  /// The checksum does not match the bytes.
  case checksumMismatch
  /// The sentence contains the `$` of another sentence, because bytes between the two `$` were lost.
  case interrupted
  /// The sentence contains an invalid byte: a control character such as NUL, or a byte greater than 0x7E.
  case invalidByte
  /// The sentence does not end within ``FixReader/maximumLength`` bytes.
  case tooLong
  /// The checksum is correct, but fields are missing at the end.
  case missingField
  /// The checksum is correct, but a field has an invalid format.
  case malformedField
  /// The checksum is correct, but a value is out of range: hour 25, latitude 91, 31 June.
  case impossibleValue
  /// The stream ended inside the sentence.
  case truncated

  /// Name of the reason in counters of rejected sentences.
  public var name: StaticString {
    switch self {
    case .missingChecksum: "missingChecksum"
    case .malformedChecksum: "malformedChecksum"
    case .checksumMismatch: "checksumMismatch"
    case .interrupted: "interrupted"
    case .invalidByte: "invalidByte"
    case .tooLong: "tooLong"
    case .missingField: "missingField"
    case .malformedField: "malformedField"
    case .impossibleValue: "impossibleValue"
    case .truncated: "truncated"
    }
  }
}
