import JSONText
import Testing

struct JSONNumberTests {
  @Test func number_keeps_the_text_it_is_written_in() throws {
    for text in ["-0", "1.50", "1E+05", "0.30000000000000004", "123456789012345678901234567890"] {
      #expect(try read(text).numberText == text)
    }
  }

  @Test func whole_numbers_reach_the_limits_of_int_and_no_further() throws {
    #expect(try read("9223372036854775807").int == .max)
    #expect(try read("-9223372036854775808").int == .min)
    #expect(try read("9223372036854775808").int == nil)
    #expect(try read("-9223372036854775809").int == nil)
    #expect(try read("99999999999999999999999").int == nil)
    #expect(try read("-0").int == 0)
    for text in ["1.0", "1e3", "0.5", "\"1\"", "true"] { #expect(try read(text).int == nil) }
  }

  /// Numbers halfway between two doubles, limits of subnormal numbers, and well-known numbers that inexact parsers read
  /// wrongly.
  @Test(arguments: [
    "0", "-0", "0e9999", "0.1", "0.3", "1e22", "1e23", "9007199254740992", "9007199254740993", "9007199254740994",
    "9007199254740993.0000000000000000000000000000000001", "1.7976931348623157e308", "1.7976931348623158e308",
    "2.2250738585072011e-308", "2.2250738585072012e-308", "2.2250738585072014e-308", "4.9e-324", "5e-324",
    "2.4703282292062328e-324",
    "6.631236846766476e-316", "0.000000000000000000000000000000000000001", "179769313486231580793e288", "1e-22",
    "123456789e-20",
    "8.5", "-273.15", "1.448997445238699", "7.2057594037927933e16", "3.1415926535897932384626433832795028841971",
  ])
  func double_is_the_nearest_one(_ text: String) throws {
    let value = try #require(try read(text).double)
    let nearest = try #require(Double(text))
    #expect(value.bitPattern == nearest.bitPattern)
  }

  @Test func double_beyond_every_double_is_none_and_below_every_double_is_zero() throws {
    #expect(try read("1e309").double == nil)
    #expect(try read("-1e400").double == nil)
    #expect(try read("1e99999999999999999999").double == nil)
    #expect(try read("1e-400").double == 0)
    #expect(try read("1" + String(repeating: "0", count: 400)).double == nil)
    #expect(try read("0." + String(repeating: "0", count: 400) + "1e400").double == 0.1)
  }

  @Test func random_doubles_survive_the_way_through_text() throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      let value = Double(bitPattern: generator.next())
      guard value.isFinite else { continue }
      let text = "\(value)"
      #expect(try read(text).double?.bitPattern == value.bitPattern, "\(text)")
    }
    for _ in 0..<20_000 {
      let text =
        "\(Int.random(in: -99_999_999...99_999_999, using: &generator))e\(Int.random(in: -30...30, using: &generator))"
      #expect(try read(text).double == Double(text), "\(text)")
    }
  }
}
