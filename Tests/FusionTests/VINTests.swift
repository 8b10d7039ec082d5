import Fusion
import Testing

@Suite struct VINTests {
  private func vin(_ text: String) -> VIN {
    let bytes = Array(text.utf8)
    return VIN(bytes.span)
  }

  @Test(
    arguments: [
      ("1FTFW1ET9DFC10312", "Ford", 2013), ("1M8GDM9AXKP042788", nil, 1989), ("1HGCM82633A004352", "Honda", 2003),
      ("5YJ3E1EA2KF317000", "Tesla", 2019), ("11111111111111111", nil, 2001),
    ] as [(String, String?, Int)])
  func a_north_american_vin_gives_make_and_model_year(text: String, make: String?, year: Int) {
    let vin = vin(text)
    #expect(vin.isValid)
    #expect(vin.make == make)
    #expect(vin.modelYear == year)
  }

  @Test(arguments: ["1FTFW1ET0DFC10312", "1HGCM82633A004353", "LFV2A21K5D4123456"])
  func a_wrong_check_digit_is_invalid_where_it_is_law(text: String) {
    let vin = vin(text)
    #expect(!vin.isValid)
    #expect(vin.make == nil)
    #expect(vin.modelYear == nil)
  }

  @Test func elsewhere_there_is_neither_check_digit_nor_model_year() {
    let vin = vin("WVWZZZ1JZXW000001")
    #expect(vin.isValid)
    #expect(vin.make == "Volkswagen")
    #expect(vin.modelYear == nil)
  }

  @Test func a_manufacturer_outside_the_table_has_no_make() {
    let vin = vin("YZ9AAAAAAAAAAAAAA")
    #expect(vin.isValid)
    #expect(vin.make == nil)
  }

  @Test(arguments: [
    "", "WVWZZZ1JZXW00000", "WVWZZZ1JZXW0000011", "WVWZZZ1JZXW00000I", "WVWZZZ1JZXW00000O", "WVWZZZ1JZXW00000Q",
    "wvwzzz1jzxw000001", "WVWZZZ1JZXW 00001", "WVWZZZ1JZXW0000\u{0}1",
  ])
  func a_vin_with_other_characters_or_another_length_is_invalid(text: String) {
    #expect(!vin(text).isValid)
  }

  @Test func every_model_year_code_has_its_year_in_both_rounds() {
    // Position 7 determines the round of years; the check digit is computed.
    for (round, digit) in [(1980, "1"), (2010, "A")] {
      for (offset, code) in "ABCDEFGHJKLMNPRSTVWXY123456789".enumerated() {
        let found = "0123456789X".compactMap { check in vin("1FTAA1\(digit)A\(check)\(code)1111111").modelYear }
        #expect(found == [round + offset])
      }
    }
  }
}
