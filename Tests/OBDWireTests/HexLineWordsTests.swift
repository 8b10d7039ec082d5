import Testing

@testable import OBDWire

/// The fast reader that reads three bytes at a time. It may decline a line, but must never read one differently from
/// the general reader.
struct HexLineWordsTests {
  @Test func every_character_at_every_place_reads_as_in_the_long_way_or_is_declined() {
    for text in ["7E8 04 41 0C 1A F8 ", "41 0C 1A F8 ", "18 DA F1 10 04 41 0C 1A F8", "7E8 8 04 41 0C "] {
      for place in 0..<text.utf8.count {
        for character in UInt8.min...UInt8.max {
          var line = Array(text.utf8)
          line[place] = character
          expectAlike(line)
        }
      }
    }
  }

  @Test func every_length_up_to_the_longest_reads_as_in_the_long_way() {
    for identifier in ["", "7E8 "] {
      for count in 0...20 {
        for end in ["", " "] {
          let digits = (0..<count).map { ReplyRecorder.hex(UInt32($0 * 13 % 256), 2) }.joined(separator: " ")
          let isRead = expectAlike(Array((identifier + digits + end).utf8))
          // From two digits alone, the fast reader cannot know whether they are an identifier.
          if count > 1, count <= 12 { #expect(isRead) }
        }
      }
    }
  }

  /// - Returns: whether the fast reader read the line.
  @discardableResult
  private func expectAlike(_ line: [UInt8]) -> Bool {
    var short = HexLine()
    let stream = line + [0x0D] + Array(repeating: UInt8(ascii: "4"), count: 60)
    let end = short.readWords(stream.span, from: 0)
    guard end >= 0 else { return false }
    var long = HexLine()
    let text = Array(stream.prefix(end))
    let isRead = long.read(text.span, from: 0, to: end)
    let isSame =
      isRead && long.count == short.count && long.hasIdentifier == short.hasIdentifier
      && (!long.hasIdentifier || long.identifier == short.identifier)
      && !long.hasDataLengthCode && !short.hasDataLengthCode
      && (0..<long.count).allSatisfy { long.bytes[$0] == short.bytes[$0] }
    #expect(isSame && stream[end] == 0x0D && !text.contains(0x0D), "\(ReplyRecorder.text(text.span))")
    return true
  }
}
