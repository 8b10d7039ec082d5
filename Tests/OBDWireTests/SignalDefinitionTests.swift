import Testing

@testable import OBDWire

/// A row's bits, counted from the most significant bit of the first byte.
struct SignalDefinitionTests {
  private func value(
    _ data: [UInt8], at offset: UInt16, _ length: UInt8, _ encoding: SignalDefinition.Encoding = .unsigned,
    factor: Double = 1, plus: Double = 0
  ) -> Double? {
    SignalDefinition(
      service: 0x22, identifier: 1, bitOffset: offset, bitLength: length, encoding: encoding, factor: factor,
      offset: plus
    ).value(in: data.span)
  }

  @Test func whole_bytes_are_most_significant_first() {
    #expect(value([0x1A, 0xF8], at: 0, 16, factor: 0.25) == 1726)
    #expect(value([0x7B], at: 0, 8, plus: -40) == 83)
    #expect(value([0x01, 0x02, 0x03], at: 0, 24) == 0x010203)
  }

  @Test func bits_are_taken_wherever_they_lie() {
    #expect(value([0b0100_0001, 0b1000_0000], at: 1, 1) == 1)
    #expect(value([0b0000_0001, 0b1000_0000], at: 7, 2) == 3)
    #expect(value([0xFF, 0x0F, 0xFF], at: 4, 12) == 0xF0F)
    #expect(value(Array(repeating: 0xFF, count: 8), at: 0, 64) == Double(UInt64.max))
  }

  @Test(arguments: [0x0075_CA57_1D10_4113, 0x7FFF_FFFF_FFFF_FDFF, 0x8000_0000_0000_0401, .max - 1025] as [UInt64])
  func value_wider_than_a_double_is_rounded_once(raw: UInt64) {
    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: raw >> UInt64(56 - 8 * $0)) }
    #expect(value(bytes, at: 0, 64) == Double(raw))
    #expect(value(bytes.reversed(), at: 0, 64, .unsignedLittleEndian) == Double(raw))
  }

  @Test func signed_values_are_twos_complement() {
    #expect(value([0xFF], at: 0, 8, .signed) == -1)
    #expect(value([0x80, 0x00], at: 0, 16, .signed) == -32_768)
    #expect(value([0b0111_0000], at: 1, 3, .signed) == -1)
    #expect(value(Array(repeating: 0xFF, count: 8), at: 0, 64, .signed) == -1)
    #expect(value([0x7F], at: 0, 8, .signed) == 127)
  }

  @Test func little_endian_reads_whole_bytes_backwards() {
    #expect(value([0x34, 0x12], at: 0, 16, .unsignedLittleEndian) == 0x1234)
    #expect(value([0xFE, 0xFF], at: 0, 16, .signedLittleEndian) == -2)
    #expect(value([0x00, 0x34, 0x12], at: 8, 16, .unsignedLittleEndian) == 0x1234)
  }

  @Test func value_behind_the_end_of_the_data_is_none() {
    #expect(value([0x01], at: 0, 9) == nil)
    #expect(value([0x01], at: 8, 1) == nil)
    #expect(value([], at: 0, 1) == nil)
  }

  @Test func support_bit_and_variant_bit_decide_whether_a_value_exists() {
    var row = SignalDefinition(service: 1, identifier: 0x66, bitOffset: 8, bitLength: 8, supportBit: 7)
    let supported: [UInt8] = [0x01, 0x20]
    let absent: [UInt8] = [0x02, 0x20]
    #expect(row.applies(to: supported.span) && !row.applies(to: absent.span))
    row.supportBit = SignalDefinition.noBit
    row.variantBit = 6
    row.variantValue = true
    #expect(row.applies(to: absent.span) && !row.applies(to: supported.span))
  }
}
