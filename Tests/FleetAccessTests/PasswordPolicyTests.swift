import Testing

@testable import FleetAccess

@Suite struct PasswordPolicyTests {
  private let policy = PasswordPolicy(common: ["passwordpassword", "Football-is-life", "iloveyou1"])
  private let words = ["ann.lee@example.com", "Ann", "Lee", "North Depot"]

  private func rejection(_ password: String, factor: Bool = false) -> PasswordPolicy.Rejection? {
    do throws(PasswordPolicy.Rejection) {
      try policy.check(password, words: words, hasSecondFactor: factor)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    "correct horse battery", "fünfzehnzeichen", "👩‍🔧 turns the wrench", "  x  marks  the  spot  ",
  ])
  func long_passwords_of_any_characters_are_accepted(_ password: String) { #expect(rejection(password) == nil) }

  @Test func a_password_alone_needs_fifteen_characters() {
    #expect(rejection("fourteen-chars") == .tooShort(minimum: 15, found: 14))
    #expect(rejection("fifteen-charact") == nil)
  }

  @Test func a_password_beside_a_factor_needs_eight() {
    #expect(rejection("seven77", factor: true) == .tooShort(minimum: 8, found: 7))
    #expect(rejection("eight-88", factor: true) == nil)
  }

  /// `ü` typed as one character, or as `u` with a combining mark.
  @Test func characters_are_counted_and_hashed_in_composed_form() {
    #expect(rejection("fu\u{308}nfzehnzeiche") == .tooShort(minimum: 15, found: 14))
    #expect(
      Array(PasswordPolicy.normalized("u\u{308}").utf8) == Array(PasswordPolicy.normalized("\u{FC}").utf8))
  }

  @Test func common_passwords_are_rejected_in_any_case() {
    #expect(rejection("PasswordPassword") == .common)
    #expect(rejection("football-is-life") == .common)
    #expect(rejection("ILOVEYOU1", factor: true) == .common)
  }

  @Test func a_password_that_is_mostly_a_word_of_the_account_is_rejected() {
    #expect(rejection("ann.lee@example.com") == .accountWord("ann.lee@example.com"))
    #expect(rejection("exampleexample1") == .accountWord("example"))
    #expect(rejection("depot2026", factor: true) == .accountWord("depot"))
    // Without the word of the account, eight characters remain.
    #expect(rejection("my depot has 12 vans") == nil)
  }

  @Test(arguments: [
    "iloveyou1iloveyou1", "qwertyuiopasdfgh", "123456789012345", "ann lee ann lee", "annleeannleeannlee",
    "annexamplecom123", "iloveyou1 2345678", "0987654321 asdfghjkl", "leeeeeeeeeeeeeeee",
    "              a", "aaaaaaaaaaaaaab",
  ])
  func combinations_of_what_attackers_try_first_are_rejected(_ password: String) {
    #expect(rejection(password) != nil)
  }

  @Test(arguments: ["seventeen blue geese", "1234 stale crumpets", "ann likes 9 oranges", "zq8#Lw2!vX5%tB1"])
  func passwords_with_enough_else_are_accepted(_ password: String) { #expect(rejection(password) == nil) }

  @Test func a_repeated_sequence_is_rejected() {
    #expect(rejection("aaaaaaaaaaaaaaaa") == .repetitive)
    #expect(rejection("abcabcabcabcabcabc") == .repetitive)
    #expect(rejection("12341234", factor: true) == .repetitive)
  }

  @Test func a_password_is_bounded() {
    let long = String(repeating: "long and longer ", count: 64)
    #expect(rejection(long) == nil)
    #expect(rejection(long + "!") == .tooLong)
  }
}
