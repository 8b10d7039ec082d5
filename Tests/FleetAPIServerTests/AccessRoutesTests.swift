import FleetAccess
import FleetDomain
import Testing

@testable import FleetAPI

@Suite struct SecretTests {
  /// Examples of FIPS 180-4, and a message as long as a block.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (String(repeating: "a", count: 64), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
  ])
  func a_secret_is_stored_as_its_sha_256_hash(_ secret: String, _ hash: String) {
    let text = Secret.hash(of: secret).bytes.map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }
    #expect(text.joined() == hash)
  }

  @Test func secrets_are_long_unlike_each_other_and_say_what_they_are() {
    let secrets = (0..<100).map { _ in Secret(.gatewayKey).text }
    #expect(Set(secrets).count == 100)
    #expect(secrets.allSatisfy { $0.hasPrefix("fsk_") && $0.utf8.count == 68 })
    #expect(Secret(.operatorToken).text.hasPrefix("fst_"))
  }
}

@Suite struct BearerTokenTests {
  @Test(arguments: [
    ("Bearer abc", "abc"), ("bearer  abc", "abc"), ("Basic abc", nil), ("Bearer ", nil), ("Bearer", nil),
  ])
  func a_token_is_read_from_its_header(_ field: String, _ token: String?) {
    #expect(BearerToken.parse(field) == token)
    #expect(BearerToken.parse(nil) == nil)
  }
}

@Suite struct RateLimiterTests {
  @Test func a_bucket_fills_up_with_time_and_not_beyond() throws {
    let limiter = RateLimiter<SecretHash>(perSecond: 2, burst: 4)
    let key = Secret.hash(of: "a")
    let start = ContinuousClock.now
    for _ in 0..<4 { #expect(limiter.consume(key, now: start) == nil) }
    #expect(limiter.consume(key, now: start) == 1)
    #expect(limiter.consume(Secret.hash(of: "b"), now: start) == nil)
    #expect(limiter.consume(key, now: start + .milliseconds(500)) == nil)
    #expect(limiter.consume(key, now: start + .milliseconds(500)) == 1)
    for _ in 0..<4 { #expect(limiter.consume(key, now: start + .seconds(60)) == nil) }
    #expect(limiter.consume(key, now: start + .seconds(60)) == 1)
  }

  /// Clients choose some of the keys, such as names of accounts.
  @Test func a_million_different_keys_need_limited_memory() {
    let limiter = RateLimiter<Int>(perSecond: 0.001, burst: 2)
    let start = ContinuousClock.now
    var most = 0
    for key in 0..<1_000_000 {
      #expect(limiter.consume(key, now: start) == nil)
      if key.isMultiple(of: 10_000) { most = max(most, limiter.count) }
    }
    #expect(most <= RateLimiter<Int>.capacity)
    // The keys that were used last still have their buckets.
    #expect(limiter.consume(999_999, now: start) == nil)
    #expect(limiter.consume(999_999, now: start) != nil)
  }

  @Test func a_key_in_use_keeps_its_bucket_among_many_others() {
    let limiter = RateLimiter<Int>(perSecond: 0.001, burst: 1)
    let start = ContinuousClock.now
    #expect(limiter.consume(-1, now: start) == nil)
    for key in 0..<300_000 {
      _ = limiter.consume(key, now: start)
      if key.isMultiple(of: 1_000) { #expect(limiter.consume(-1, now: start) != nil) }
    }
  }
}

@Suite struct AllowedOriginsTests {
  @Test func programs_and_own_pages_are_allowed_and_listed_ones() {
    let origins = AllowedOrigins(["https://fleet.example"])
    #expect(origins.allow(nil, host: "a:1"))
    #expect(origins.allow("http://A:1", host: "a:1"))
    #expect(origins.allow("https://fleet.example", host: "a:1"))
    #expect(!origins.allow("https://fleet.example.evil", host: "a:1"))
    #expect(!origins.allow("null", host: "a:1"))
    #expect(AllowedOrigins(["*"]).allow("https://anything", host: nil))
  }
}
