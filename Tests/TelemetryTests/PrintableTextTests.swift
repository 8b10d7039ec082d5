import Telemetry
import Testing

@Suite struct PrintableTextTests {
  @Test(arguments: ["", "rpm 1726", "°C · 速度 · \u{1F697}", "a\\b"]) func plain_text_is_left_alone(text: String) {
    #expect(text.printable == text)
  }

  @Test(arguments: [
    ("\u{1B}[31mred", #"\u001B[31mred"#), ("a\nb\r\tc", #"a\u000Ab\u000D\u0009c"#), ("\u{9B}2J", #"\u009B2J"#),
    ("\u{7F}", #"\u007F"#), ("a\u{202E}b", #"a\u202Eb"#), ("\u{2028}", #"\u2028"#), ("\u{200B}", #"\u200B"#),
    ("\u{E0041}", #"\U000E0041"#), ("e\u{301}\u{0}", "e\u{301}" + #"\u0000"#),
  ]) func terminal_control_characters_are_escaped(text: String, shown: String) {
    #expect(text.printable == shown)
  }
}
