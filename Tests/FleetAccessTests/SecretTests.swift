import Crypto
import FleetDomain
import Testing

@testable import FleetAccess

@Suite struct SecretTests {
  @Test(arguments: Secret.Purpose.allCases)
  func a_secret_has_256_random_bits_of_which_only_the_hash_is_stored(_ purpose: Secret.Purpose) {
    let all = (0..<100).map { _ in Secret(purpose) }
    for secret in all {
      #expect(secret.text.hasPrefix(purpose.rawValue))
      let digits = secret.text.dropFirst(purpose.rawValue.count)
      #expect(digits.count == 64 && digits.allSatisfy { $0.isHexDigit && !$0.isUppercase }, "\(digits)")
      #expect(secret.hash.bytes == Array(SHA256.hash(data: Array(secret.text.utf8))))
    }
    #expect(Set(all.map(\.text)).count == all.count)
    // Of 25,600 random bits, about half are set; the standard deviation is 80.
    let bits = all.flatMap { Hexadecimal.bytes(String($0.text.suffix(64))) ?? [] }.reduce(0) { $0 + $1.nonzeroBitCount }
    #expect((12_000...13_600).contains(bits), "\(bits)")
  }
}
