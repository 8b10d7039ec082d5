import FleetDomain
import Testing

/// Amounts of money as clients send them and as sums have them.
@Suite struct MoneyTests {
  @Test(arguments: [
    ("00012.5", "12.5"), ("0", "0"), ("000", "0"), ("0.005", "0.005"), ("00.10", "0.10"), ("-007.5", "-7.5"),
    ("49.90", "49.90"), ("120", "120"),
  ])
  func an_amount_has_no_unnecessary_zeros_at_its_beginning(_ text: String, _ expected: String) throws {
    let json = JSON.object(["amount": .text(text), "currency": .text("EUR")])
    #expect(try Money.parsed(client: json).json == .object(["amount": .text(expected), "currency": .text("EUR")]))
  }

  @Test(arguments: [
    (JSON.text("12,50"), "EUR", "amount", "12,50"), (.text("1e3"), "EUR", "amount", "1e3"),
    (.number(12.5), "EUR", "amount", "12.5"), (.text("1.00001"), "EUR", "amount", "1.00001"),
    (.text("1"), "EURO", "currency", "EURO"), (.text("1"), "ABC", "currency", "ABC"),
  ])
  func the_error_of_an_amount_names_the_wrong_value(
    _ amount: JSON, _ currency: String, _ path: String, _ value: String
  ) throws {
    let json = JSON.object(["amount": amount, "currency": .text(currency)])
    let error = try #require(throws: FieldErrors.self) { try Money.parsed(client: json) }
    #expect(error.all.map(\.path) == [path])
    #expect(error.all.first?.message.contains(value) == true, "\(error)")
  }

  /// The numbers of decimals are those of ISO 4217, list one.
  @Test(arguments: [
    (Int128(1_000_000), "JPY", "100"), (1_000_000, "EUR", "100.00"), (1_000_000, "KWD", "100.000"),
    (1_005_000, "JPY", "100.5"), (-12_345, "EUR", "-1.2345"), (0, "JPY", "0"), (5_000, "CLF", "0.5000"),
  ])
  func a_sum_has_the_decimals_of_its_currency(_ tenThousandths: Int128, _ currency: String, _ expected: String) {
    let money = Money(tenThousandths: tenThousandths, currency: currency)
    #expect(money.amount == expected)
    #expect(Money(amount: money.amount, currency: currency)?.tenThousandths == tenThousandths)
  }
}
