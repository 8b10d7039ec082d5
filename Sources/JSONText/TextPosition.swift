/// Line and column of a byte, counted only when somebody asks: errors are rare.
struct TextPosition {
  private(set) var line = 1
  private(set) var column = 1
  private(set) var offset = 0

  init() {}

  /// - Parameter offset: at most `text.count`.
  init(of offset: Int, in text: Span<UInt8>) { advance(to: offset, in: text) }

  /// Goes on from where it stands.
  mutating func advance(to end: Int, in text: Span<UInt8>) {
    while offset < end {
      let byte = text[offset]
      offset += 1
      switch byte {
      case 0x0D where offset < text.count && text[offset] == 0x0A:
        break  // The LF behind it ends the line.
      case 0x0A, 0x0D:
        line += 1
        column = 1
      case 0x80..<0xC0:
        break  // Goes on with a scalar already counted.
      default:
        column += 1
      }
    }
  }
}

/// Lines and columns of many values of one document, asked for in the order of the text: each byte is counted once.
///
/// ``JSONValue/line`` counts from the start at each call, which is right for one error and wrong for ten thousand values.
public struct JSONPlaceCounter: Sendable {
  private let document: JSONDocument
  private var position = TextPosition()

  /// - Parameter root: any value of the document.
  public init(_ root: JSONValue) { document = root.document }

  /// Line and column of a value's first character, from 1.
  ///
  /// - Parameter value: a value of the same document, not in front of the one asked for before; else the count starts anew.
  public mutating func place(of value: JSONValue) -> (line: Int, column: Int) {
    var next = value.offset < position.offset ? TextPosition() : position
    next.advance(to: value.offset, in: document.bytes.span.extracting(0..<document.textCount))
    position = next
    return (next.line, next.column)
  }
}
