import Telemetry
import Testing

@testable import FleetAccess

@Suite struct TOTPTests {
  /// RFC 6238, appendix B: the SHA-1 rows, of which the last six digits count here.
  @Test(arguments: [
    (59, "287082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"), (1_234_567_890, "005924"),
    (2_000_000_000, "279037"), (20_000_000_000, "353130"),
  ])
  func codes_are_those_of_the_rfc(_ seconds: Int64, _ code: String) {
    let generator = TOTP(secret: Array("12345678901234567890".utf8))
    #expect(generator.code(step: seconds / 30) == code)
  }

  private let generator = TOTP(secret: Array("12345678901234567890".utf8))
  private let now = Timestamp(nanoseconds: 1_234_567_890_000_000_000)

  @Test(arguments: [(-2, false), (-1, true), (0, true), (1, true), (2, false)])
  func a_code_is_accepted_one_step_early_or_late(_ distance: Int64, _ isAccepted: Bool) {
    let step = TOTP.step(at: now) + distance
    let accepted = generator.acceptedStep(for: generator.code(step: step), at: now, after: nil)
    #expect(accepted == (isAccepted ? step : nil))
  }

  @Test func a_code_is_accepted_once() throws {
    let code = generator.code(step: TOTP.step(at: now))
    let step = try #require(generator.acceptedStep(for: code, at: now, after: nil))
    #expect(generator.acceptedStep(for: code, at: now, after: step) == nil)
  }

  @Test func a_code_of_an_earlier_step_is_rejected_after_a_later_one() throws {
    let step = TOTP.step(at: now)
    #expect(generator.acceptedStep(for: generator.code(step: step - 1), at: now, after: step) == nil)
  }

  @Test func a_code_may_be_typed_in_two_groups() {
    let code = generator.code(step: TOTP.step(at: now))
    #expect(generator.acceptedStep(for: "\(code.prefix(3)) \(code.suffix(3))", at: now, after: nil) != nil)
  }

  @Test(arguments: ["", "12345", "1234567", "abcdef", "٢٧٩٠٣٧"])
  func text_that_is_not_a_code_is_rejected(_ text: String) {
    #expect(generator.acceptedStep(for: text, at: now, after: nil) == nil)
  }

  @Test func times_before_1970_belong_to_negative_steps() {
    #expect(TOTP.step(at: Timestamp(nanoseconds: -1)) == -1)
    #expect(TOTP.step(at: Timestamp(nanoseconds: -30_000_000_000)) == -1)
    #expect(TOTP.step(at: Timestamp(nanoseconds: -30_000_000_001)) == -2)
  }

  @Test func the_address_for_apps_names_issuer_and_account() {
    let address = TOTP(secret: [0x66, 0x6F, 0x6F]).provisioningURI(issuer: "Fleet North", account: "ann@example.com")
    #expect(
      address
        == "otpauth://totp/Fleet%20North:ann%40example.com?secret=MZXW6&issuer=Fleet%20North&algorithm=SHA1&digits=6&period=30"
    )
  }

  @Test func secrets_are_random_and_as_long_as_the_hash() {
    #expect(TOTP.newSecret().count == 20)
    #expect(TOTP.newSecret() != TOTP.newSecret())
  }
}
