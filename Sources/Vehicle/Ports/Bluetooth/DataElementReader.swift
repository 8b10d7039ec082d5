/// Parses data elements of the Service Discovery Protocol (Core Specification, volume 3, part B, 3.3). Each element
/// consists of one byte with its type and size, sometimes a length, and a value.
struct DataElementReader: ~Copyable, ~Escapable {
  /// Codes of the types of data elements that are needed here (3.2).
  private enum Kind {
    static let unsigned: UInt8 = 1
    static let uuid: UInt8 = 3
    static let sequence: UInt8 = 6
    static let alternative: UInt8 = 7
  }
  private struct Element {
    let kind: UInt8
    let value: Range<Int>
  }
  /// Maximum nesting depth of sequences. An answer needs five levels: lists, records, attributes, protocol stacks and
  /// protocols. One level is in reserve.
  private static let depth = 6

  private let bytes: Span<UInt8>

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) { self.bytes = bytes }

  /// Returns the channel of the first RFCOMM protocol (UUID 0x0003); `nil` if the complete elements contain none.
  mutating func serialChannel() -> UInt8? { channel(in: 0..<bytes.count, depth: DataElementReader.depth) }

  private func channel(in range: Range<Int>, depth: Int) -> UInt8? {
    guard depth > 0 else { return nil }
    var at = range.lowerBound
    var follows = false
    while let element = element(at: at, before: range.upperBound) {
      switch element.kind {
      case Kind.sequence, Kind.alternative:
        if let found = channel(in: element.value, depth: depth - 1) { return found }
        follows = false
      case Kind.uuid: follows = isRFCOMM(element.value)
      case Kind.unsigned where follows && element.value.count == 1: return bytes[element.value.lowerBound]
      default: follows = false
      }
      at = element.value.upperBound
    }
    return nil
  }

  /// Whether a UUID of 2, 4 or 16 bytes means RFCOMM. The long form of a short UUID is its number followed by
  /// -0000-1000-8000-00805F9B34FB (2.5.1).
  private func isRFCOMM(_ value: Range<Int>) -> Bool {
    switch value.count {
    case 2: number(value) == 3
    case 4: number(value) == 3
    case 16: number(value.prefix(4)) == 3
    default: false
    }
  }

  private func number(_ value: Range<Int>) -> Int { value.reduce(0) { $0 << 8 | Int(bytes[$1]) } }

  private func element(at start: Int, before end: Int) -> Element? {
    guard start < end else { return nil }
    let kind = bytes[start] >> 3
    let size = Int(bytes[start] & 7)
    var first = start + 1
    var length: Int
    switch size {
    // The size is 1, 2, 4, 8 or 16 bytes. Type 0 (nil) has no value.
    case 0...4: length = kind == 0 ? 0 : 1 << size
    // The next 1, 2 or 4 bytes contain the length.
    default:
      let width = 1 << (size - 5)
      guard first + width <= end else { return nil }
      length = number(first..<first + width)
      first += width
    }
    guard length <= end - first else { return nil }
    return Element(kind: kind, value: first..<first + length)
  }
}
