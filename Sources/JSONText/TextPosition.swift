/// Line and column of a byte, counted only when somebody asks: errors are rare.
struct TextPosition {
  var line = 1
  var column = 1

  /// - Parameter offset: at most `text.count`.
  init(of offset: Int, in text: Span<UInt8>) {
    var index = 0
    while index < offset {
      let byte = text[index]
      switch byte {
      case 0x0D where index + 1 < text.count && text[index + 1] == 0x0A:
        break  // The LF behind it ends the line.
      case 0x0A, 0x0D:
        line += 1
        column = 1
      case 0x80..<0xC0:
        break  // Goes on with a scalar already counted.
      default:
        column += 1
      }
      index += 1
    }
  }
}
