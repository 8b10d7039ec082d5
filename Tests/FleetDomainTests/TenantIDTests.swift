import FleetDomain
import Testing

@Suite struct TenantIDTests {
  @Test(arguments: ["default", "a", "7", "north-depot-2", String(repeating: "x", count: 63)])
  func letters_digits_and_hyphens_are_a_name(_ text: String) { #expect(TenantID(text)?.text == text) }

  @Test(arguments: ["", "-a", "A", "a b", "ä", "a/b", "a\n", String(repeating: "x", count: 64)])
  func text_that_is_not_a_tenant_id_is_rejected(_ text: String) { #expect(TenantID(text) == nil) }
}
