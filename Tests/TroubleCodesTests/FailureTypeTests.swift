import Testing
import TroubleCodes

struct FailureTypeTests {
  @Test(arguments: [
    (UInt8(0x11), "short to ground"), (0x12, "short to battery"), (0x13, "open"), (0x16, "voltage too low"),
    (0x17, "voltage too high"), (0x1A, "resistance too low"), (0x1F, "intermittent"), (0x21, "amplitude too small"),
    (0x29, "invalid"), (0x2F, "erratic"), (0x31, "no signal"), (0x38, "frequency"), (0x41, "checksum"),
    (0x44, "memory"),
    (0x49, "internal electronics"), (0x51, "not programmed"), (0x54, "calibration"), (0x62, "disagree"),
    (0x64, "implausible"), (0x71, "stuck"), (0x72, "stuck open"), (0x7B, "fluid level"), (0x81, "serial data"),
    (0x87, "missing"), (0x88, "bus off"), (0x92, "operates badly"), (0x96, "internal fault"), (0x98, "too hot"),
  ])
  func the_common_bytes_say_how_the_part_failed(byte: UInt8, keyword: String) throws {
    let text = try #require(FailureType(byte).text)
    #expect(text.contains(keyword))
  }

  @Test func the_first_digit_names_the_kind_where_the_byte_is_not_known() {
    #expect(FailureType(0x9B).text == nil)
    #expect(FailureType(0x9B).description == "component failure")
    #expect(FailureType(0x1D).category == "electrical failure")
  }

  @Test func a_byte_that_the_standard_keeps_free_is_shown_as_it_is() {
    #expect(FailureType(0xA3).category == nil)
    #expect(FailureType(0xA3).description == "failure type A3")
  }

  @Test func failure_type_zero_has_no_text() {
    #expect(FailureType(0).text == nil)
    #expect(FailureType(0).description.isEmpty)
  }

  @Test func texts_are_short_and_each_is_its_own() {
    let texts = (UInt8.min...UInt8.max).compactMap { FailureType($0).text }
    #expect(texts.count >= 85)
    #expect(Set(texts).count == texts.count)
    #expect(texts.allSatisfy { $0.utf8.count <= 50 })
  }
}
