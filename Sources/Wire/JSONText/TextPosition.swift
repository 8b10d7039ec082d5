/// Line and column of a byte offset in a text. They are computed only when needed, because errors are rare.
struct TextPosition {
  private(set) var line = 1
  private(set) var column = 1
  private(set) var offset = 0

  init() {}

  /// Computes the line and column of an offset.
  ///
  /// - Parameter offset: a byte offset in the text, at most `text.count`.
  init(of offset: Int, in text: Span<UInt8>) { advance(to: offset, in: text) }

  /// Moves forward to a greater offset.
  mutating func advance(to end: Int, in text: Span<UInt8>) {
    while offset < end {
      let byte = text[offset]
      offset += 1
      switch byte {
      case 0x0D where offset < text.count && text[offset] == 0x0A:
        break  // A LF follows and ends the line.
      case 0x0A, 0x0D:
        line += 1
        column = 1
      case 0x80..<0xC0:
        break  // The first byte of this scalar was counted already.
      default:
        column += 1
      }
    }
  }
}

/// Computes line and column of many values in the order of the text, and reads each byte of the text only once.
///
/// ``JSONValue/line`` counts from the start at each access, which is too slow for thousands of values.
public struct JSONPlaceCounter: Sendable {
  private let document: JSONDocument
  private var position = TextPosition()

  /// Creates a counter at the start of a document's text.
  ///
  /// - Parameter root: any value of the document.
  public init(_ root: JSONValue) { document = root.document }

  /// Returns line and column of a value's first character, from 1.
  ///
  /// - Parameter value: a value of the document. If it precedes the value of the previous call, counting starts again
  ///   at the start of the text.
  public mutating func place(of value: JSONValue) -> (line: Int, column: Int) {
    var next = value.offset < position.offset ? TextPosition() : position
    next.advance(to: value.offset, in: document.bytes.span.extracting(0..<document.textCount))
    position = next
    return (next.line, next.column)
  }
}
