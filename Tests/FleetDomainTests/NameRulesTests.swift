import FleetDomain
import Testing

@Suite struct NameRulesTests {
  @Test(arguments: [
    "VAN-001", "a", "...", ".a", "a.b", "Ärger 3", "日本", "🚚", "a b", String(repeating: "x", count: 128),
  ])
  func visible_text_is_a_valid_id(_ text: String) { #expect(NameRules.isName(text)) }

  @Test(arguments: ["", ".", "a b", "Ärger", "E\u{301}", String(repeating: "x", count: 300)])
  func a_text_for_people_is_visible_in_any_form(_ text: String) { #expect(NameRules.isVisible(text)) }

  @Test(arguments: ["a\n", "a\u{85}", "A\u{202E}B", "A\u{200B}B", "a\u{AD}b", "\u{FEFF}a", "a\u{2800}b"])
  func a_text_for_people_with_hidden_characters_is_rejected(_ text: String) { #expect(!NameRules.isVisible(text)) }

  @Test(arguments: [
    "", ".", "..", "a\u{0}", "a\n", "a\u{85}", String(repeating: "x", count: 129), "E\u{301}",
    // Bidirectional controls, zero-width characters and other invisible characters.
    "VAN\u{202E}100", "\u{2066}a\u{2069}", "a\u{200E}", "a\u{61C}", "VAN\u{200B}1", "a\u{200C}b", "a\u{200D}b",
    "\u{FEFF}a", "a\u{2060}b", "a\u{AD}b", "a\u{180E}", "a\u{34F}b", "a\u{3164}", "a\u{2028}b", "a\u{E0041}",
    "VAN\u{2800}1",
  ])
  func text_with_hidden_characters_is_rejected(_ text: String) { #expect(!NameRules.isName(text)) }

  @Test(arguments: ["VAN-001", "a b", "a b c", "日本 3"])
  func a_new_id_may_have_single_spaces_inside(_ text: String) { #expect(NameRules.isNewName(text)) }

  @Test(arguments: [" tr", "tr ", "tr\u{3000}", "\u{3000}tr", "sp\u{A0}ace", "a  b", "a\u{2003}b", " ", "a\u{202F}b"])
  func a_new_id_has_no_spaces_that_cannot_be_seen(_ text: String) {
    #expect(!NameRules.isNewName(text))
    #expect(NameRules.isName(text), "things of earlier versions keep their ids")
  }
}
