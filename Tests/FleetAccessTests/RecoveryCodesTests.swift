import Testing

@testable import FleetAccess

@Suite struct RecoveryCodesTests {
  @Test func a_set_has_ten_different_codes_in_groups_of_four() {
    let codes = RecoveryCodes.newSet()
    #expect(Set(codes).count == 10)
    for code in codes {
      #expect(code.split(separator: "-").map(\.count) == Array(repeating: 4, count: 6))
      #expect(RecoveryCodes.hash(of: code) != nil)
    }
  }

  @Test func a_code_is_found_however_it_is_typed() {
    let hash = RecoveryCodes.hash(of: "K7QM-3XHP-9RTV-C2WD-5NBF-8JA1")
    #expect(hash != nil)
    #expect(RecoveryCodes.hash(of: "k7qm3xhp9rtvc2wd5nbf8jal") == hash)
    #expect(RecoveryCodes.hash(of: " K7QM 3XHP 9RTV C2WD 5NBF 8JAI ") == hash)
  }

  @Test func different_codes_have_different_digests() {
    #expect(
      RecoveryCodes.hash(of: "K7QM-3XHP-9RTV-C2WD-5NBF-8JA0") != RecoveryCodes.hash(of: "K7QM-3XHP-9RTV-C2WD-5NBF-8JA1")
    )
  }

  @Test(arguments: ["", "K7QM", "K7QM-3XHP-9RTV-C2WD-5NBF-8JAG-0", "K7QM-3XHP-9RTV-C2WD-5NBF-8JAU", "Ⅸ"])
  func a_text_that_cannot_be_a_code_has_no_digest(_ text: String) {
    #expect(RecoveryCodes.hash(of: text) == nil)
  }
}
