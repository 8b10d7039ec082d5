/// Formats captures in obdgate's own format (`.capture`). The caller writes the text to its destination.
///
///     # obdgate-capture 1
///     # adapter: ELM327 v1.5   recorded: 2026-06-27T04:04:59.906Z   provenance: obdgate 0.1.0
///     0.200000 > 010C\r
///     0.328114 < 41 0C 0A
///
/// Call ``header(adapter:recorded:provenance:)`` once, then ``event(_:at:_:)`` for each event in ascending order of
/// time. Call ``clear()`` each time you have written ``text`` to the destination.
public struct CaptureWriter: Sendable {
  /// Complete lines that were added since the last ``clear()``.
  public private(set) var text: [UInt8] = []

  /// Creates a writer without text.
  public init() { text.reserveCapacity(1 << 16) }

  /// Discards ``text`` after it was written to the destination.
  public mutating func clear() { text.removeAll(keepingCapacity: true) }

  /// Writes the header.
  ///
  /// - Parameters:
  ///   - adapter: identification of the adapter; empty if unknown.
  ///   - recorded: time when the recording began, as in RFC 3339; `nil` if unknown.
  ///   - provenance: origin of the capture.
  public mutating func header(adapter: String, recorded: String?, provenance: String) {
    append("# obdgate-capture 1\n# ")
    let fields = [("adapter", adapter), ("recorded", recorded ?? ""), ("provenance", provenance)]
    let known = fields.map { ($0.0, Self.line($0.1)) }.filter { !$0.1.isEmpty }
    text += Array(known.map { "\($0.0): \($0.1)" }.joined(separator: "   ").utf8)
    append("\n")
  }

  /// Returns a value of the header without line breaks and other control characters.
  private static func line(_ value: String) -> String {
    let visible = value.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : String($0) }.joined()
    return visible.allSatisfy { $0 == " " } ? "" : visible
  }

  /// Writes one event: the bytes that one system call has read from a device or written to it.
  ///
  /// - Parameter time: ns since the start of the capture, not less than the time of the previous event. It is written
  ///   in microseconds.
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
      // Escape spaces at both ends, because editors remove spaces at the end of a line.
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
