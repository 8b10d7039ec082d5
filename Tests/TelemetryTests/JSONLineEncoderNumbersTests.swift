import Foundation
import Telemetry
import Testing

@Suite struct JSONLineEncoderNumbersTests {
  private func written(_ number: Double) -> String {
    String(text { $0.field("n", number) }.dropFirst(5).dropLast(2))
  }

  private func written(_ number: Double, decimals: Int) -> String {
    String(text { $0.field("n", number, decimals: decimals) }.dropFirst(5).dropLast(2))
  }

  @Test(
    arguments: [
      (1726, "1726"), (8.62745098, "8.627451"), (12.753, "12.753"), (-0.0, "0"), (0, "0"), (-40, "-40"), (0.1, "0.1"),
      (0.1 + 0.2, "0.3"), (100.0 / 255, "0.3921569"), (-1.5, "-1.5"), (99.9999999, "100"), (-0.0000000000001, "0"),
      (0.001, "0.001"), (0.00099, "0.00099"), (0.000123456789, "0.0001234568"), (0.0078125, "0.0078125"),
      (0.0000305, "0.0000305"),
      (0.999999999, "1"), (65_535, "65535"), (16_777_215.75, "16777215.75"), (1.25e-7, "0.000000125"),
      (4_294_967_295, "4294967295"), (123_456_789_012.345, "123456789012.345"),
      (999_999_999_999_999, "999999999999999"),
      (1e15, "1000000000000000"), (9_007_199_254_740_992, "9007199254740992"), (1e22, "1e22"), (2.5e300, "2.5e300"),
      (-1e30, "-1e30"), (.greatestFiniteMagnitude, "1.7976931348623e308"),
    ] as [(Double, String)])
  func a_number_prints_as_people_write_it(number: Double, expected: String) {
    #expect(written(number) == expected)
  }

  @Test func latitudes_keep_nine_decimals() {
    #expect(written(48.1371543219, decimals: 9) == "48.137154322")
    #expect(written(-179.999999999, decimals: 9) == "-179.999999999")
    #expect(written(0.0000000004, decimals: 9) == "0" && written(-0.0000000004, decimals: 9) == "0")
    #expect(written(0.9999999996, decimals: 9) == "1" && written(-999.9999999996, decimals: 9) == "-1000")
    #expect(written(11.5, decimals: 9) == "11.5")
    #expect(written(2.5, decimals: 0) == "2")
    #expect(written(3.5, decimals: 0) == "4")
  }

  @Test func multiples_of_a_decimal_print_as_that_decimal() {
    for scale in [0, 1, 2, 3, 4, 5, 6] {
      let power = pow(10.0, Double(scale))
      for number in stride(from: -20_000, through: 2_000_000, by: 617) {
        let value = Double(number) / power
        if value != 0, value.magnitude < 0.001 { continue }
        #expect(Double(written(value)) == value)
        #expect(!written(value).contains("e"))
      }
    }
  }

  /// Foundation rounds the exact value of a double, and so does the encoder.
  @Test func random_numbers_round_as_foundation_does() {
    var random = Reproducible(seed: 4711)
    for _ in 0..<100_000 {
      let magnitude = pow(10, Double.random(in: 0..<9, using: &random))
      let value = Bool.random(using: &random) ? magnitude : -magnitude
      let found = written(value)
      let expected = trimmed(String(format: "%.6f", value))
      if found != expected {
        Issue.record("\(value): \(found), expected \(expected)")
        return
      }
    }
  }

  @Test func small_numbers_are_off_by_less_than_a_millionth() {
    var random = Reproducible(seed: 99)
    for _ in 0..<20_000 {
      let value = pow(10, Double.random(in: -11..<0, using: &random))
      let found = written(value)
      guard let back = Double(found), abs(back - value) <= value * 5.0001e-7, !found.contains("e") else {
        Issue.record("\(value): \(found)")
        return
      }
    }
  }

  @Test func halves_go_to_the_even_neighbour() {
    #expect(written(0.5 + 0.00000005) == trimmed(String(format: "%.7f", 0.50000005)))
    for number in 0..<1_000 {
      // Multiples of 2⁻⁷ have seven decimals that end in 5, so that they are exactly halfway at the sixth.
      let value = 1 + Double(number * 2 + 1) / 128
      #expect(written(value) == trimmed(String(format: "%.6f", value)))
    }
  }

  @Test func the_largest_numbers_stay_close() {
    var random = Reproducible(seed: 5)
    for _ in 0..<5_000 {
      let value = pow(10, Double.random(in: 15..<300, using: &random))
      guard let back = Double(written(value)), abs(back - value) <= value * 1e-13 else {
        Issue.record("\(value): \(written(value))")
        return
      }
    }
  }

  private func trimmed(_ text: String) -> String {
    guard text.contains(".") else { return text }
    var text = text
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text == "-0" ? "0" : text
  }
}
