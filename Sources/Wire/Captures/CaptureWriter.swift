/// Formats obdgate's own captures (`.capture`). The caller writes the text to its destination.
///
///     # obdgate-capture 1
///     # adapter: ELM327 v1.5   recorded: 2026-06-27T04:04:59.906Z   provenance: obdgate 0.1.0
///     0.200000 > 010C\r
///     0.328114 < 41 0C 0A
///
/// Call order: ``header(adapter:recorded:provenance:)`` once, then ``event(_:at:_:)`` in ascending order of time. Call
/// ``clear()`` after ``text`` was written out.
public struct CaptureWriter: Sendable {
  /// Complete lines that were not cleared yet.
  public private(set) var text: [UInt8] = []

  /// Creates an empty capture.
  public init() { text.reserveCapacity(1 << 16) }

  /// Discards the text after it was written out.
  public mutating func clear() { text.removeAll(keepingCapacity: true) }

  /// Writes the header.
  ///
  /// - Parameters:
  ///   - adapter: identification of the adapter; empty if unknown.
  ///   - recorded: start of the recording, RFC 3339; `nil` if unknown.
  ///   - provenance: origin of the capture.
  public mutating func header(adapter: String, recorded: String?, provenance: String) {
    append("# obdgate-capture 1\n# ")
    let fields = [("adapter", adapter), ("recorded", recorded ?? ""), ("provenance", provenance)]
    let known = fields.map { ($0.0, Self.line($0.1)) }.filter { !$0.1.isEmpty }
    text += Array(known.map { "\($0.0): \($0.1)" }.joined(separator: "   ").utf8)
    append("\n")
  }

  /// Removes line breaks and other control characters from a value.
  private static func line(_ value: String) -> String {
    let visible = value.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : String($0) }.joined()
    return visible.allSatisfy { $0 == " " } ? "" : visible
  }

  /// Writes one event: the bytes of one read or write.
  ///
  /// - Parameter time: ns since the start of the capture, not before the previous event. Written with microsecond
  ///   precision.
  public mutating func event(_ direction: CaptureDirection, at time: Int64, _ bytes: Span<UInt8>) {
    guard bytes.count > 0 else { return }
    let microseconds = max(0, time) / 1_000
    text += Array("\(microseconds / 1_000_000).".utf8)
    text += Array(String(microseconds % 1_000_000 + 1_000_000).utf8.dropFirst())
    switch direction {
    case .toAdapter: append(" > ")
    case .fromAdapter: append(" < ")
    case .fromGPS: append(" g ")
    }
    for index in bytes.indices {
      // Escape spaces at both ends, so that no editor removes them.
      let isEnd = index == 0 || index == bytes.count - 1
      escape(bytes[index], isEnd: isEnd)
    }
    append("\n")
  }

  private mutating func escape(_ byte: UInt8, isEnd: Bool) {
    switch byte {
    case 0x0D: append("\\r")
    case 0x0A: append("\\n")
    case 0x5C: append("\\\\")
    case 0x21...0x7E: text.append(byte)
    case 0x20 where !isEnd: text.append(byte)
    default:
      append("\\x")
      text.append(Self.digit(byte >> 4))
      text.append(Self.digit(byte & 0x0F))
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }

  private mutating func append(_ piece: StaticString) {
    for index in 0..<piece.utf8CodeUnitCount { text.append(unsafe piece.utf8Start[index]) }
  }
}
