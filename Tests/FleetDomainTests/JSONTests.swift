import FleetDomain
import Foundation
import Testing

@Suite struct JSONTests {
  /// The example of RFC 8785, 3.2.2 and 3.2.3.
  @Test func canonical_text_is_that_of_the_rfc() throws {
    let json = try JSON(
      parsing: Array(
        #"""
        {
          "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
          "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
          "literals": [null, true, false]
        }
        """#.utf8))
    #expect(
      json.canonicalText
        == #"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#
    )
  }

  /// RFC 8785, 3.2.3: keys are sorted by their UTF-16 code units.
  @Test func keys_are_sorted_as_the_rfc_says() throws {
    let json = try JSON(
      parsing: Array(
        #"{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}"#
          .utf8))
    let values = ["Carriage", "One", "Control", "Latin", "Euro", "Emoji", "Hebrew"]
    let text = json.canonicalText
    let places = try values.map { try #require(text.range(of: $0)?.lowerBound) }
    #expect(places == places.sorted())
  }

  /// RFC 8785, appendix B: IEEE 754 bit patterns and their texts.
  @Test(
    arguments: [
      (0x0000_0000_0000_0000, "0"), (0x8000_0000_0000_0000, "0"), (0x0000_0000_0000_0001, "5e-324"),
      (0x8000_0000_0000_0001, "-5e-324"), (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
      (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"), (0x4340_0000_0000_0000, "9007199254740992"),
      (0xc340_0000_0000_0000, "-9007199254740992"), (0x4430_0000_0000_0000, "295147905179352830000"),
      (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"), (0x44b5_2d02_c7e1_4af6, "1e+23"),
      (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"), (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
      (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"), (0x444b_1ae4_d6e2_ef50, "1e+21"),
      (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"), (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
      (0x41b3_de43_5555_5553, "333333333.3333332"), (0x41b3_de43_5555_5554, "333333333.33333325"),
      (0x41b3_de43_5555_5555, "333333333.3333333"), (0x41b3_de43_5555_5556, "333333333.3333334"),
      (0x41b3_de43_5555_5557, "333333333.33333343"),
      (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
    ] as [(UInt64, String)])
  func numbers_have_the_texts_of_the_rfc(_ bits: UInt64, _ text: String) {
    #expect(JSON.number(Double(bitPattern: bits)).canonicalText == text)
  }

  @Test func integers_beyond_those_of_doubles_are_written_as_doubles() {
    #expect(JSON.integer(9_007_199_254_740_991).canonicalText == "9007199254740991")
    #expect(JSON.integer(.max).canonicalText == "9223372036854776000")
    #expect(JSON.integer(.min).canonicalText == "-9223372036854776000")
  }
}
