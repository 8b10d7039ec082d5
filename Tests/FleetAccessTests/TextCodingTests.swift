import Testing

@testable import FleetAccess

@Suite struct TextCodingTests {
  /// RFC 4648, section 10, without the padding.
  @Test(arguments: [
    ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
    ("foobar", "MZXW6YTBOI"),
  ])
  func base32_is_that_of_the_rfc(_ plain: String, _ coded: String) {
    #expect(Base32.text(Array(plain.utf8)) == coded)
  }

  /// RFC 4648, section 10, without the padding; the last two need the URL-safe characters.
  @Test(arguments: [
    (Array("".utf8), ""), (Array("f".utf8), "Zg"), (Array("fo".utf8), "Zm8"), (Array("foo".utf8), "Zm9v"),
    (Array("foob".utf8), "Zm9vYg"), (Array("fooba".utf8), "Zm9vYmE"), (Array("foobar".utf8), "Zm9vYmFy"),
    ([0xFB, 0xFF], "-_8"), ([0xFF, 0xEF, 0xBE], "_---"),
  ])
  func base64url_is_that_of_the_rfc_both_ways(_ bytes: [UInt8], _ coded: String) {
    #expect(Base64URL.text(bytes) == coded)
    #expect(Base64URL.bytes(coded) == bytes)
  }

  @Test(arguments: ["Z", "Zg==", "Zh", "Zm9", "Zm+v", "Zm/v", "Zm 9v", "Zm9vYmFyZ", "Zmö"])
  func base64url_has_one_text_for_each_byte_sequence(_ text: String) {
    #expect(Base64URL.bytes(text) == nil)
  }
}
