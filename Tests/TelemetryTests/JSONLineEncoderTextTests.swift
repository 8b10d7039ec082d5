import Foundation
import Telemetry
import Testing

@Suite struct JSONLineEncoderTextTests {
  /// Returns one text value as it is written, without the object around it.
  private func written(_ bytes: [UInt8]) -> String {
    let line = text { line in
      line.key("t")
      line.value(bytes.span)
    }
    return String(line.dropFirst(6).dropLast(3))
  }

  @Test(arguments: 0...40) func text_of_every_length_is_copied_whole(length: Int) {
    let source = (0..<length).map { UInt8(ascii: "a") + UInt8($0 % 26) }
    #expect(written(source) == String(decoding: source, as: UTF8.self))
  }

  @Test func quotes_backslashes_and_control_characters_are_escaped() {
    #expect(
      written(Array("say \"hi\" \\ \u{8}\t\n\u{C}\r\u{0}\u{1F}\u{7F}".utf8))
        == #"say \"hi\" \\ \b\t\n\f\r\u0000\u001F\u007F"#)
    // U+009B is a terminal's "control sequence introducer" in one character.
    #expect(written(Array("\u{80}\u{9B}31m\u{9F}\u{A0}".utf8)) == #"\u0080\u009B31m\u009F"# + "\u{A0}")
  }

  @Test(arguments: 0..<20) func an_escape_at_any_place_is_seen(place: Int) {
    for (byte, escape) in [(UInt8(ascii: "\""), "\\\""), (0x7F, "\\u007F"), (0x1B, "\\u001B")] {
      var source = [UInt8](repeating: UInt8(ascii: "x"), count: 20)
      source[place] = byte
      let expected = String(repeating: "x", count: place) + escape + String(repeating: "x", count: 19 - place)
      #expect(written(source) == expected)
    }
  }

  @Test func valid_utf_8_passes() {
    let source = "°C · 速度 · \u{1F697} · \u{7FF}\u{800}\u{FFFD}\u{10FFFF}"
    #expect(written(Array(source.utf8)) == source)
  }

  @Test func bytes_that_are_no_utf_8_are_read_as_latin_1() {
    #expect(written([0x41, 0xB0, 0x43]) == #"A\u00B0C"#)
    #expect(written([0xFF, 0xFE]) == #"\u00FF\u00FE"#)
  }

  @Test(
    arguments: [
      [0xC0, 0x80],  // overlong NUL
      [0xE0, 0x9F, 0xBF],  // overlong
      [0xED, 0xA0, 0x80],  // a surrogate
      [0xF0, 0x8F, 0xBF, 0xBF],  // overlong
      [0xF4, 0x90, 0x80, 0x80],  // beyond U+10FFFF
      [0xF5, 0x80, 0x80, 0x80], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x9A], [0xE2, 0x28, 0xA1], [0x80],
    ] as [[UInt8]])
  func a_sequence_that_utf_8_forbids_is_not_copied(bytes: [UInt8]) throws {
    let line = Data(("{\"t\":\"" + written(bytes) + "\"}").utf8)
    let found = try JSONSerialization.jsonObject(with: line) as? [String: String]
    #expect(found?["t"]?.unicodeScalars.map(\.value) == bytes.map(UInt32.init))
  }
}
