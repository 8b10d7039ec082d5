import OBDWire
import Testing

struct ReadingTests {
  @Test(arguments: [
    (UInt16(0x0133), "P0133"), (0x0420, "P0420"), (0x1407, "P1407"), (0x2ABC, "P2ABC"), (0x3FFF, "P3FFF"),
    (0x4300, "C0300"), (0x8200, "B0200"), (0xC100, "U0100"), (0xFFFF, "U3FFF"), (0x0000, "P0000"),
  ])
  func trouble_code_of_two_bytes_has_five_characters(code: UInt16, text: String) {
    #expect(WireText.of(TroubleCode(code: code)) == text)
  }

  @Test func trouble_code_of_three_bytes_names_its_failure_type() {
    #expect(WireText.of(TroubleCode(code: 0x0420, failureType: 0x00, hasFailureType: true)) == "P0420-00")
    #expect(WireText.of(TroubleCode(code: 0x0420, failureType: 0x1C, hasFailureType: true)) == "P0420-1C")
  }

  @Test func loaded_signals_begin_at_8000() {
    #expect(!SignalID(rawValue: 0x7FFF).isLoaded)
    #expect(SignalID(rawValue: 0x8000).isLoaded)
  }
}

private enum WireText {
  static func of(_ code: TroubleCode) -> String {
    String(decoding: (0..<code.textLength).map { code.text[$0] }, as: UTF8.self)
  }
}
