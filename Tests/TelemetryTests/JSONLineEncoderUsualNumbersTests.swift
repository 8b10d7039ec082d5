import Foundation
import Telemetry
import Testing

/// Numbers of the usual size use a faster path. It prints the same text as the general path of `decimals:`.
@Suite struct JSONLineEncoderUsualNumbersTests {
  private func usual(_ number: Double) -> String { text { $0.field("n", number) } }
  private func general(_ number: Double) -> String { text { $0.field("n", number, decimals: 6) } }

  @Test func whole_numbers_of_every_length_print_alike() {
    var number = 1.0
    while number < 1e9 {
      for offset in [-2.0, -1, 0, 1, 2] where number + offset >= 1 && number + offset < 1e9 {
        #expect(usual(number + offset) == "{\"n\":\(Int(number + offset))}\n")
        #expect(usual(-number - offset) == "{\"n\":-\(Int(number + offset))}\n")
      }
      number *= 10
    }
    for number in 1...12_000 { #expect(usual(Double(number)) == "{\"n\":\(number)}\n") }
  }

  @Test func decimals_of_every_length_print_alike() {
    var numbers = Reproducible(seed: 5)
    for decimals in 0...6 {
      let power = [1.0, 10, 100, 1e3, 1e4, 1e5, 1e6][decimals]
      for _ in 0..<2_000 {
        let number = 1 + Double(Int.random(in: 0..<10_000_000_000, using: &numbers)) / power
        guard number < 1e9 else { continue }
        #expect(usual(number) == general(number), "\(number)")
        #expect(usual(-number) == general(-number), "\(-number)")
      }
    }
  }

  @Test(arguments: [
    1.9999995, 1.9999994999, 9.9999996, 99.9999999, 9_999.9999999, 99_999_999.9999999, 999_999_999.9999999,
  ])
  func decimals_that_round_up_carry_into_the_whole_number(number: Double) {
    #expect(usual(number) == general(number))
  }

  /// Coordinates have nine decimals: the text of glibc without the zeros at the end.
  @Test func nine_decimals_are_correctly_rounded() {
    var numbers = Reproducible(seed: 9)
    for exponent in -12...2 {
      let power = (0..<abs(exponent)).reduce(1.0) { product, _ in exponent < 0 ? product / 10 : product * 10 }
      for _ in 0..<2_000 {
        let number = Double.random(in: -9.99...9.99, using: &numbers) * power
        var expected = String(format: "%.9f", number)
        while expected.hasSuffix("0") { expected.removeLast() }
        if expected.hasSuffix(".") { expected.removeLast() }
        if expected == "-0" { expected = "0" }
        #expect(text { $0.field("n", number, decimals: 9) } == "{\"n\":\(expected)}\n", "\(number)")
      }
    }
  }

  @Test func shares_of_one_print_alike() {
    var numbers = Reproducible(seed: 7)
    for _ in 0..<10_000 {
      let number = Double.random(in: 0.1..<1, using: &numbers)
      let rounded = (number * 1_000).rounded() / 1_000
      for number in [number, rounded] {
        #expect(usual(number) == text { $0.field("n", number, decimals: 7) }, "\(number)")
        #expect(usual(-number) == text { $0.field("n", -number, decimals: 7) }, "\(-number)")
      }
    }
    #expect(usual(0) == "{\"n\":0}\n" && usual(-0.0) == "{\"n\":0}\n")
    #expect(usual(0.99999996) == "{\"n\":1}\n" && usual(-0.99999994) == "{\"n\":-0.9999999}\n")
  }
}
