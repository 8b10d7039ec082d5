/// Finds the elements of a JSON array by its brackets, commas and quotes, without parsing the elements.
struct ArrayElements: ~Escapable {
  enum Step {
    case element(Range<Int>)
    case end
    /// The array is invalid at this offset. Therefore, no further element can be found.
    case broken(offset: Int, expected: String)
  }

  private let text: Span<UInt8>
  private var position = 1
  private var isFirst = true

  /// Begins to read an array.
  ///
  /// - Parameter text: begins with the array's opening bracket and has no white space at its end.
  @_lifetime(copy text)
  init(_ text: Span<UInt8>) { self.text = text }

  @_lifetime(self: copy self)
  mutating func next() -> Step {
    skipSpace()
    if position < text.count, text[position] == UInt8(ascii: "]") { return end() }
    if !isFirst {
      guard position < text.count, text[position] == UInt8(ascii: ",") else { return broken("',' or ']'") }
      position += 1
      skipSpace()
    }
    let start = position
    guard skipValue() else { return broken("a record and then ',' or ']'") }
    isFirst = false
    return .element(start..<position)
  }

  @_lifetime(self: copy self)
  private mutating func end() -> Step {
    position += 1
    return position == text.count ? .end : broken("nothing behind ']'")
  }

  private func broken(_ expected: String) -> Step { .broken(offset: position, expected: expected) }

  /// Skips one value, up to the comma or closing bracket after it.
  ///
  /// - Returns: `false` if there is no value, or if the text ends before the end of the value.
  @_lifetime(self: copy self)
  private mutating func skipValue() -> Bool {
    let start = position
    var depth = 0
    while position < text.count {
      switch text[position] {
      case UInt8(ascii: "\""):
        guard skipString() else { return false }
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return position > start }
        depth -= 1
      case UInt8(ascii: ","):
        if depth == 0 { return position > start }
      default: break
      }
      position += 1
    }
    // The text may end here only after a complete element.
    return depth == 0 && position > start
  }

  @_lifetime(self: copy self)
  private mutating func skipString() -> Bool {
    position += 1
    while position < text.count {
      let byte = text[position]
      position += byte == UInt8(ascii: "\\") ? 2 : 1
      if byte == UInt8(ascii: "\"") { return true }
    }
    return false
  }

  @_lifetime(self: copy self)
  private mutating func skipSpace() {
    while position < text.count, IncomingRecord.isSpace(text[position]) { position += 1 }
  }
}
