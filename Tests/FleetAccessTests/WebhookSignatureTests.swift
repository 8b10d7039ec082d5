import FleetAccess
import Testing

@Suite struct WebhookSignatureTests {
  /// The example of the specification of Standard Webhooks.
  @Test func webhooks_have_the_signature_of_standard_webhooks() throws {
    let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    let right = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    func sign(_ secret: String) throws -> String {
      try #require(WebhookSignature(secret)).text(
        Array(#"{"test": 2432232314}"#.utf8), id: "msg_p5jXN8AQM9LWM0D4loKWxJek", seconds: 1_614_265_330)
    }
    #expect(try sign(secret) == right)
    let other = "whsec_" + Base64.text([UInt8](repeating: 7, count: 32))
    let both = try sign("\(other) \(secret)").split(separator: " ")
    #expect(both.count == 2 && both[1] == right && both[0] != right)
    let short = "whsec_" + Base64.text([UInt8](repeating: 7, count: 23))
    for wrong in [
      "", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", short, "whsec_???", "\(secret) ", "\(secret) \(secret) \(secret)",
    ] {
      #expect(WebhookSignature(wrong) == nil, "\(wrong)")
    }
  }

  @Test func a_new_secret_is_valid_and_never_the_same() throws {
    let secrets = (0..<100).map { _ in WebhookSignature.newSecret() }
    #expect(Set(secrets).count == 100 && secrets.allSatisfy { WebhookSignature($0) != nil })
  }
}
