/// Finds the end of a JSON object by counting brackets and skipping strings, without parsing values.
enum ObjectEnd {
  /// Returns the offset after the object's closing brace; `nil` if the text does not begin with an object, or ends
  /// inside it.
  static func find(in text: Span<UInt8>) -> Int? {
    guard !text.isEmpty, text[0] == UInt8(ascii: "{") else { return nil }
    var (depth, isInString) = (0, false)
    var index = 0
    while index < text.count {
      switch text[index] {
      case UInt8(ascii: "\\") where isInString: index &+= 1
      case UInt8(ascii: "\""): isInString.toggle()
      // A string must end on the line on which it begins.
      case UInt8(ascii: "\n") where isInString: return nil
      case _ where isInString: break
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth &+= 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        depth &-= 1
        if depth == 0 { return index + 1 }
      default: break
      }
      index &+= 1
    }
    return nil
  }
}
