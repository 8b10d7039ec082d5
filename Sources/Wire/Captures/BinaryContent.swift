/// Distinguishes binary content from text.
enum BinaryContent {
  private static let sampleSize = 1 << 16

  /// Whether the content starts like an archive, an image or an executable, or contains many bytes that are not text:
  /// at least 16, and more than an eighth of the content.
  ///
  /// Fewer such bytes are allowed, because adapters send some at startup or with a wrong baud rate.
  static func isLikely(_ head: Span<UInt8>) -> Bool {
    if hasMagic(head) { return true }
    let sample = head.extracting(first: min(head.count, sampleSize))
    var odd = 0
    var i = 0
    while i < sample.count {
      let byte = sample[i]
      if byte >= 0x80 {
        let length = sequenceLength(sample, at: i)
        if length == 0 { odd += 1 }
        i += max(1, length)
        continue
      }
      // The control characters from BEL to CR, and ESC, occur in terminal logs.
      if byte < 0x07 || (0x0E..<0x20) ~= byte && byte != 0x1B || byte == 0x7F { odd += 1 }
      i += 1
    }
    return odd >= 16 && odd * 8 > sample.count
  }

  private static func hasMagic(_ head: Span<UInt8>) -> Bool {
    head.has("\u{7F}ELF") || head.has("PK\u{3}\u{4}") || head.has("BZh9") || head.has("SQLite format 3")
      || head.has("%PDF-")
      || head.count > 2 && head[0] == 0x1F && head[1] == 0x8B
      || head.count > 3 && head[0] == 0x28 && head[1] == 0xB5 && head[2] == 0x2F && head[3] == 0xFD
      || head.count > 5 && head[0] == 0xFD && head.has("7zXZ", at: 1)
      || head.count > 3 && head[0] == 0x89 && head.has("PNG", at: 1)
  }

  /// Returns the number of bytes of the UTF-8 sequence at `index`; 0 if there is no valid sequence.
  private static func sequenceLength(_ text: Span<UInt8>, at index: Int) -> Int {
    let length: Int
    switch text[index] {
    case 0xC2...0xDF: length = 2
    case 0xE0...0xEF: length = 3
    case 0xF0...0xF4: length = 4
    default: return 0
    }
    guard index + length <= text.count else { return 0 }
    for i in index + 1..<index + length where text[i] & 0xC0 != 0x80 { return 0 }
    return length
  }
}
