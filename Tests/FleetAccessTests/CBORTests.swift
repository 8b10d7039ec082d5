import Testing

@testable import FleetAccess

/// Encodings from RFC 8949, appendix A, and encodings that CTAP2's canonical form forbids.
@Suite struct CBORTests {
  private func item(_ hex: String) -> Result<CBOR, CBORError> {
    Result { () throws(CBORError) in try CBORReader.item(bytes(hex)) }
  }

  @Test func integers_of_every_length_are_read() throws {
    #expect(item("00") == .success(.unsigned(0)))
    #expect(item("17") == .success(.unsigned(23)))
    #expect(item("1818") == .success(.unsigned(24)))
    #expect(item("1903e8") == .success(.unsigned(1_000)))
    #expect(item("1a000f4240") == .success(.unsigned(1_000_000)))
    #expect(item("1bffffffffffffffff") == .success(.unsigned(.max)))
    #expect(item("20") == .success(.negative(0)))
    #expect(item("390100") == .success(.negative(256)))
    #expect(try item("390100").get().integer == -257)
    #expect(try item("1bffffffffffffffff").get().integer == nil)
    #expect(try item("3b7fffffffffffffff").get().integer == .min)
  }

  @Test func strings_arrays_and_maps_are_read() {
    #expect(item("4401020304") == .success(.bytes([1, 2, 3, 4])))
    #expect(item("62c3bc") == .success(.text("ü")))
    #expect(item("83010203") == .success(.array([.unsigned(1), .unsigned(2), .unsigned(3)])))
    #expect(
      item("a26161016162820203")
        == .success(.map([.text("a"): .unsigned(1), .text("b"): .array([.unsigned(2), .unsigned(3)])])))
    #expect(item("f4") == .success(.bool(false)))
    #expect(item("f6") == .success(.null))
  }

  @Test(arguments: [
    ("", CBORError.Kind.truncated), ("18", .truncated), ("1901", .truncated), ("44010203", .truncated),
    ("8201", .truncated), ("a101", .truncated), ("1817", .notShortest), ("190017", .notShortest),
    ("1a0000ffff", .notShortest), ("1b00000000ffffffff", .notShortest), ("5800", .notShortest),
    ("f7", .unsupported(0xF7)), ("f90000", .unsupported(0xF9)), ("fa47c35000", .unsupported(0xFA)),
    ("c11a514b67b0", .unsupported(0xC1)), ("5f", .unsupported(0x5F)), ("9fff", .unsupported(0x9F)),
    ("1c", .unsupported(0x1C)), ("61ff", .invalidUTF8), ("a1f401", .invalidKey), ("a1410101", .invalidKey),
    ("a201010102", .duplicateKey), ("0000", .trailingBytes), ("818181818100", .tooDeep),
    ("9b00ffffffffffffff", .truncated), ("bb7fffffffffffffff", .truncated), ("5bffffffffffffffff", .truncated),
  ])
  func cbor_that_authenticators_do_not_send_is_rejected(_ hex: String, _ kind: CBORError.Kind) {
    switch item(hex) {
    case .success(let item): Issue.record("\(hex) was read as \(item)")
    case .failure(let error): #expect(error.kind == kind, "\(hex): \(error)")
    }
  }

  @Test func every_prefix_of_an_item_is_truncated() throws {
    let whole = bytes("a26161016162820203")
    for count in 0..<whole.count {
      #expect(throws: CBORError.self) { try CBORReader.item(Array(whole.prefix(count))) }
    }
  }

  @Test func the_offset_is_that_of_the_item_that_is_wrong() throws {
    #expect(item("8301f702") == .failure(CBORError(kind: .unsupported(0xF7), offset: 2)))
  }
}

/// Returns the bytes that hexadecimal digits describe.
func bytes(_ hex: String) -> [UInt8] {
  let digits = Array(hex)
  return stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16)! }
}
