/// Estimates the number of records in a body before they are parsed. A compressed body of a few kilobytes may expand to
/// millions of lines, and each rejected line needs memory for a message.
public enum RecordCount {
  /// Returns an upper bound of the number of records. For an array, this is the number of commas between its elements,
  /// plus one. For other bodies, it is the number of lines that are not empty.
  public static func most(in body: Span<UInt8>) -> Int {
    var first = 0
    while first < body.count, isSpace(body[first]) { first += 1 }
    guard first < body.count else { return 0 }
    return body[first] == UInt8(ascii: "[") ? elements(body.extracting(first..<body.count)) : lines(body)
  }

  /// Whether the parser treats a byte as white space. A line that contains only other control characters counts as a
  /// record, because the parser reports it as a rejected record.
  private static func isSpace(_ byte: UInt8) -> Bool { IncomingRecord.isSpace(byte) }

  private static func lines(_ body: Span<UInt8>) -> Int {
    var (count, isEmpty) = (0, true)
    for index in body.indices {
      if body[index] == UInt8(ascii: "\n") {
        isEmpty = true
      } else if isEmpty, !isSpace(body[index]) {
        count &+= 1
        isEmpty = false
      }
    }
    return count
  }

  /// Counts the commas that are neither in strings nor in inner brackets.
  private static func elements(_ body: Span<UInt8>) -> Int {
    var (count, depth, isInString) = (1, 0, false)
    var index = 0
    while index < body.count {
      switch body[index] {
      case UInt8(ascii: "\\") where isInString: index &+= 1
      case UInt8(ascii: "\""): isInString.toggle()
      case _ where isInString: break
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth &+= 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth &-= 1
      case UInt8(ascii: ",") where depth == 1: count &+= 1
      default: break
      }
      index &+= 1
    }
    return count
  }
}
