/// How many records a body can have at most, counted before any is read: a body of a few kilobytes may unpack to millions
/// of lines, and each that is refused costs a message.
public enum RecordCount {
  /// Lines that are not empty, or commas between the elements of an array and one.
  public static func most(in body: Span<UInt8>) -> Int {
    var first = 0
    while first < body.count, isSpace(body[first]) { first += 1 }
    guard first < body.count else { return 0 }
    return body[first] == UInt8(ascii: "[") ? elements(body.extracting(first..<body.count)) : lines(body)
  }

  /// As records are read: a control character is no space, and a line of one is a record that is refused.
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

  /// Commas that are in no string and in no bracket but the first.
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
