import Testing

@testable import OBDWire

/// The meaning of the digits of a line.
struct HexLineTests {
  private struct Parts: Equatable {
    var identifier: UInt16?
    var lengthCode: UInt8?
    var bytes: [UInt8]
  }

  private func parts(_ text: String) -> Parts? {
    var line = HexLine()
    let bytes = ReplyRecorder.bytes(text)
    guard line.read(bytes.span, from: 0, to: bytes.count) else { return nil }
    return Parts(
      identifier: line.hasIdentifier ? line.identifier : nil,
      lengthCode: line.hasDataLengthCode ? line.dataLengthCode : nil,
      bytes: (0..<line.count).map { line.bytes[$0] })
  }

  @Test func pairs_are_bytes_however_they_are_spaced() {
    let expected = Parts(identifier: nil, lengthCode: nil, bytes: [0x41, 0x0C, 0x1A, 0xF8])
    for text in ["41 0C 1A F8", "410C1AF8", "41  0C 1AF8 ", "410C 1AF8"] { #expect(parts(text) == expected, "\(text)") }
  }

  @Test func three_digits_in_front_are_an_identifier() {
    #expect(parts("7E8 03 41 0D 32") == Parts(identifier: 0x7E8, lengthCode: nil, bytes: [3, 0x41, 0x0D, 0x32]))
    #expect(parts("7E803410D32") == Parts(identifier: 0x7E8, lengthCode: nil, bytes: [3, 0x41, 0x0D, 0x32]))
    #expect(parts("014") == Parts(identifier: 0x014, lengthCode: nil, bytes: []))
  }

  @Test func one_digit_behind_the_identifier_counts_its_bytes() {
    #expect(parts("7E8 2 01 02") == Parts(identifier: 0x7E8, lengthCode: 2, bytes: [1, 2]))
    #expect(parts("18 DA F1 10 1 05") == Parts(identifier: nil, lengthCode: 1, bytes: [0x18, 0xDA, 0xF1, 0x10, 5]))
    #expect(parts("18DAF110 1 05") == Parts(identifier: nil, lengthCode: 1, bytes: [0x18, 0xDA, 0xF1, 0x10, 5]))
  }

  @Test(arguments: ["", "   ", "4", "41 0", "41 0C 1", "7E8 4 1", "41 0G", "41,0C", "4 1 0 C"])
  func half_bytes_and_characters_that_are_not_hexadecimal_are_not_data(text: String) {
    #expect(parts(text) == nil)
  }

  @Test func short_way_reads_what_the_long_one_does() {
    for text in ["7E8 04 41 0C 1A F8 ", "41 0C 1A F8 ", "48 6B 10 41 0C 1A F8 22 ", "7E8 04 41 0C 1A F8"] {
      var line = HexLine()
      let bytes = ReplyRecorder.bytes(text + "\r" + String(repeating: " ", count: 60))
      let end = line.readWords(bytes.span, from: 0)
      #expect(end == text.utf8.count, "\(text)")
      let found = (0..<line.count).map { line.bytes[$0] }
      #expect(parts(text)?.bytes == found && (parts(text)?.identifier != nil) == line.hasIdentifier)
    }
  }

  @Test(arguments: ["7E804410C1AF8 ", "7E8 8 04 41 ", "NO DATA", "41 0C 1A F8  ", "41 0C\u{0}", "014", ""])
  func short_way_leaves_other_lines_to_the_long_one(text: String) {
    var line = HexLine()
    let bytes = ReplyRecorder.bytes(text + "\r" + String(repeating: " ", count: 60))
    #expect(line.readWords(bytes.span, from: 0) == -1)
  }
}
