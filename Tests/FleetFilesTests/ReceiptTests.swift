import FleetDomain
import Foundation
import TestKit
import Testing

@testable import FleetFiles

/// What the image helper understands of the words of receipts.
@Suite struct ReceiptTests {
  /// Returns the answer for lines of words, as `receipts.py` gives it.
  private static func read(_ lines: [String]) throws -> [String: Any] {
    let script = """
      import json, sys
      sys.path.insert(0, sys.argv[1])
      import receipts
      words = []
      for number, line in enumerate(json.load(sys.stdin)):
          left = 20
          for text in line.split():
              words.append(receipts.Word(text, left, number * 40, 18 * len(text), 30))
              left += 18 * (len(text) + 1)
      print(json.dumps(receipts.fields(words, (1000, 2000))))
      """
    let folder = TestData.projectRoot + "/Sources/Fleet/FleetFiles/Helper"
    let input = Array(JSON.array(lines.map { .text($0) }).canonicalText.utf8)
    let run = try Tool.run("/usr/bin/python3", ["-c", script, folder], stdin: input)
    #expect(run.status == 0, "\(run.errors)")
    return try JSONSerialization.jsonObject(with: Data(run.stdout)) as? [String: Any] ?? [:]
  }

  private static func values(_ answer: [String: Any]) -> [String: String] {
    answer.compactMapValues { ($0 as? [String: Any])?["value"].map { "\($0)" } }
  }

  @Test func a_fuel_receipt_has_quantity_price_and_amount_that_agree() throws {
    let answer = try Self.read([
      "TANKSTELLE HUBER GMBH", "1010 WIEN", "RECHNUNG", "04.05.2026 17:31", "ZAPFS. 3", "DIESEL",
      "40,10 L x 1,599 EUR/L",
      "SUMME EUR 64,12", "MWST 20 % 10,69", "KM-STAND 123456",
    ])
    let expected = [
      "merchant": "TANKSTELLE HUBER GMBH", "date": "2026-05-04", "time": "17:31", "quantity": "40.10", "price": "1.599",
      "fuelAmount": "64.12", "total": "64.12", "currency": "EUR", "tax": "10.69", "product": "diesel",
      "odometer": "123456",
    ]
    #expect(Self.values(answer) == expected)
    #expect(answer["unit"] as? String == "L" && answer["energy"] as? String == "diesel")
  }

  @Test func goods_by_the_litre_are_no_fuel() throws {
    let answer = Self.values(try Self.read(["PAINT SHOP LTD", "THINNER 3.50 LITRE 12.00", "TOTAL 12.00"]))
    #expect(answer["quantity"] == nil && answer["total"] == "12.00")
  }

  @Test func a_date_that_could_be_two_days_or_does_not_exist_is_left_out() throws {
    #expect(Self.values(try Self.read(["SHOP LTD", "04/05/2026", "TOTAL 5.00"]))["date"] == nil)
    #expect(Self.values(try Self.read(["SHOP LTD", "12/87/2020", "TOTAL 5.00"]))["date"] == nil)
    #expect(Self.values(try Self.read(["SHOP LTD", "14/05/2096", "TOTAL 5.00"]))["date"] == nil)
    #expect(Self.values(try Self.read(["SHOP LTD", "14/05/2026", "TOTAL 5.00"]))["date"] == "2026-05-14")
    // In American receipts, the month is first.
    #expect(Self.values(try Self.read(["DALLAS, TX 75001", "04/05/2026", "TOTAL $5.00"]))["date"] == "2026-04-05")
  }

  @Test func the_total_is_what_was_paid_less_the_change() throws {
    let answer = Self.values(
      try Self.read([
        "SHOP SDN BHD", "SUBTOTAL 18.87", "TOTAL INCL GST 20.01", "ROUNDING ADJ -0.01", "ROUNDED TOTAL 20.00",
        "CASH 50.00", "CHANGE 30.00", "GST SUMMARY AMOUNT(RM) TAX(RM)", "TOTAL 18.87 1.14",
      ]))
    #expect(answer["total"] == "20.00" && answer["currency"] == "MYR")
  }

  @Test func nothing_is_read_from_nothing() throws {
    #expect(Self.values(try Self.read(["INSERT CARD"])).filter { $0.key != "merchant" }.isEmpty)
    #expect(Self.values(try Self.read([])).isEmpty)
  }
}
