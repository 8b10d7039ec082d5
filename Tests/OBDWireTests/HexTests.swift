import OBDWire
import Testing

struct HexTests {
  @Test func every_character_is_a_digit_or_none() {
    for character in UInt8.min...UInt8.max {
      let expected =
        Unicode.Scalar(character).properties.numericType == nil && character >= 0x80
        ? nil : Character(Unicode.Scalar(character)).hexDigitValue
      #expect(Hex.value(character) == expected.map(UInt8.init) ?? 0xFF, "\(character)")
    }
  }

  @Test func digit_is_upper_case_and_takes_the_low_four_bits() {
    #expect((UInt8(0)..<16).map { Hex.digit($0) } == Array("0123456789ABCDEF".utf8))
    #expect(Hex.digit(0xFA) == UInt8(ascii: "A"))
  }
}
