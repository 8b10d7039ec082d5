/// Takes what a ``FixReader`` finds in the stream, in the stream's order.
///
/// Calls come from inside ``FixReader/receive(_:into:)``, ``FixReader/flush(into:)`` and ``FixReader/finish(into:)``
/// only, on the caller's thread. The order of `fix` calls is the order of epochs; a `rejected` or `accepted` call comes
/// when its sentence ends, so before the `fix` of the epoch it belongs to.
public protocol FixHandler: ~Copyable {
  /// An epoch has ended.
  mutating func fix(_ fix: Fix)

  /// A sentence was refused whole; no byte of it reached a fix.
  ///
  /// - Parameters:
  ///   - reason: what was wrong with it.
  ///   - sentence: its bytes from `$` to the byte before which it broke off. Valid during the call only.
  ///   - position: where its `$` stands in the stream, counted from 0.
  mutating func rejected(_ reason: RejectReason, sentence: Span<UInt8>, position: UInt64)

  /// A sentence with a right checksum was understood, or left aside as of no use to a fix. Nothing unless implemented.
  mutating func accepted(_ kind: SentenceKind)
}

extension FixHandler where Self: ~Copyable {
  public mutating func accepted(_ kind: SentenceKind) {}
}

/// Why a sentence was refused.
///
/// Bytes outside a sentence (AIS, UBX, SiRF binary, a modem's prefix, comments) are not refused, only skipped.
public enum RejectReason: UInt8, BitwiseCopyable, Equatable, Error, Sendable {
  /// The line ended without `*hh`. NMEA 0183 lets most sentences do without, and yet a sentence without it is refused
  /// always: it cannot be told from one that lost its tail. gpsd publishes nothing from such a receiver either.
  case missingChecksum
  /// `*` was not followed by two hexadecimal digits.
  case malformedChecksum
  /// The checksum is not that of the bytes.
  case checksumMismatch
  /// Another sentence's `$` stands inside: the line lost bytes and two sentences ran together.
  case interrupted
  /// A byte that no sentence may have: a control character (NUL), or one past 0x7E.
  case invalidByte
  /// More than ``FixReader/maximumLength`` bytes without an end.
  case tooLong
  /// The checksum is right, but the sentence ends before the fields that its formatter has.
  case missingField
  /// The checksum is right, but a field cannot be read as what it must be.
  case malformedField
  /// The checksum is right, but a field's value cannot be: hour 25, latitude 91, 31 June.
  case impossibleValue
  /// The stream ended inside the sentence.
  case truncated

  /// The name under which refusals are counted.
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
