import FleetDomain
import Foundation
import TestKit
import Testing

@testable import FleetFiles

/// What the image helper understands of the words of receipts.
@Suite struct ReceiptTests {
  /// Returns the answer for lines of words, as the helper's `receipts.py` gives it.
  private static func read(_ lines: [String]) throws -> [String: Any] {
    let script = """
      import json, sys
      sys.path.insert(0, sys.argv[1])
      import receipts
      from text_rows import Word
      words = []
      for number, line in enumerate(json.load(sys.stdin)):
          left = 20
          for text in line.split():
              words.append(Word(text, left, number * 40, 18 * len(text), 30))
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

  /// A receipt in the style of a country, and the values that it shows.
  private struct Sample: CustomTestStringConvertible {
    let country: String
    let lines: [String]
    let values: [String: String]
    var testDescription: String { country }
  }

  private static let samples = [
    Sample(
      country: "it",
      lines: [
        "STAZIONE Q8 ROSSI S.R.L.", "VIA ROMA 12", "20100 MILANO", "P.IVA 01234567890", "DOCUMENTO COMMERCIALE",
        "GASOLIO", "LITRI 30,25 x 1,659 EUR/L", "SUBTOTALE 50,18", "TOTALE COMPLESSIVO 50,18", "DI CUI IVA 9,05",
        "CONTANTI 60,00", "RESTO 9,82", "14-05-2026 09:12",
      ],
      values: [
        "merchant": "STAZIONE Q8 ROSSI S.R.L.", "date": "2026-05-14", "time": "09:12", "total": "50.18",
        "currency": "EUR", "tax": "9.05", "quantity": "30.25", "price": "1.659",
      ]),
    Sample(
      country: "es",
      lines: [
        "ESTACION DE SERVICIO SOL S.L.", "CALLE MAYOR 3", "28013 MADRID", "CIF B12345678", "FACTURA SIMPLIFICADA",
        "14 de mayo de 2026 18:05", "GASOLINA 95", "LITROS 40,00", "PRECIO EUR/L 1,549", "TOTAL EUR 61,96",
        "IVA 21 % 10,75", "TARJETA 61,96",
      ],
      values: [
        "merchant": "ESTACION DE SERVICIO SOL S.L.", "date": "2026-05-14", "time": "18:05", "total": "61.96",
        "currency": "EUR", "tax": "10.75", "quantity": "40.00", "price": "1.549",
      ]),
    Sample(
      country: "fr",
      lines: [
        "TOTAL ACCESS DUPONT SARL", "12 RUE DE LYON", "69003 LYON", "SIRET 123 456 789 00012", "TICKET CLIENT",
        "LE 14 MAI 2026 A 17:45", "POMPE 4 GAZOLE", "35,20 L", "PRIX UNIT. 1,789 EUR/L", "TOTAL HT 52,48",
        "TVA 20 % 10,49", "TOTAL TTC 62,97 EUR", "CB 62,97",
      ],
      values: [
        "merchant": "TOTAL ACCESS DUPONT SARL", "date": "2026-05-14", "time": "17:45", "total": "62.97",
        "currency": "EUR", "tax": "10.49", "quantity": "35.20", "price": "1.789",
      ]),
    Sample(
      country: "pt",
      lines: [
        "POSTO CENTRAL LDA", "RUA DO CARMO 8", "1200-093 LISBOA", "NIF 501234567", "FATURA SIMPLIFICADA",
        "2026-05-14 08:30", "GASOLEO", "25,00 L x 1,629 EUR/L", "TOTAL A PAGAR 40,73 EUR", "IVA 23% 7,62",
        "NUMERÁRIO 50,00", "TROCO 9,27",
      ],
      values: [
        "merchant": "POSTO CENTRAL LDA", "date": "2026-05-14", "time": "08:30", "total": "40.73", "currency": "EUR",
        "tax": "7.62", "quantity": "25.00", "price": "1.629",
      ]),
    Sample(
      country: "gb",
      lines: [
        "GREEN LANE SERVICES LTD", "HIGH STREET", "LEEDS LS1 4AB", "VAT REG NO GB 123 4567 89", "14/05/2026 12:10",
        "PUMP 2 UNLEADED", "30.00 L @ 1.459 £/L", "TOTAL £43.77", "VAT 20 % 7.30", "VISA 43.77",
      ],
      values: [
        "merchant": "GREEN LANE SERVICES LTD", "date": "2026-05-14", "time": "12:10", "total": "43.77",
        "currency": "GBP", "tax": "7.30", "quantity": "30.00", "price": "1.459",
      ]),
    Sample(
      country: "us",
      lines: [
        "QUICK FUEL INC", "100 MAIN ST", "AUSTIN, TX 78701", "05/14/2026 03:22 PM", "PUMP 7 REGULAR", "GALLONS 10.250",
        "PRICE/GAL 3.299", "FUEL TOTAL $33.81", "SALES TAX 0.00", "TOTAL $33.81", "VISA 33.81",
      ],
      values: [
        "merchant": "QUICK FUEL INC", "date": "2026-05-14", "time": "15:22", "total": "33.81", "currency": "USD",
        "quantity": "10.250", "price": "3.299",
      ]),
    Sample(
      country: "de",
      lines: [
        "AUTOHOF NORD GMBH", "INDUSTRIESTRASSE 5", "30179 HANNOVER", "UST-ID DE123456789", "14.05.2026 07:55",
        "SUPER E10", "SÄULE 6", "42,31 L x 1,699 EUR/L", "ZWISCHENSUMME 71,88", "GESAMTBETRAG EUR 71,88",
        "MWST 19 % 11,48", "GEGEBEN 100,00", "RÜCKGELD 28,12",
      ],
      values: [
        "merchant": "AUTOHOF NORD GMBH", "date": "2026-05-14", "time": "07:55", "total": "71.88", "currency": "EUR",
        "tax": "11.48", "quantity": "42.31", "price": "1.699",
      ]),
  ]

  @Test(arguments: samples) private func receipts_of_several_countries_are_understood(_ sample: Sample) throws {
    let answer = Self.values(try Self.read(sample.lines))
    for (key, value) in sample.values { #expect(answer[key] == value, "\(key)") }
  }

  @Test func the_number_of_a_company_ends_a_name_in_two_rows() throws {
    let name = ["CT99 - TEA HOUSE PUSAT", "OMEGA ENTERPRISE"]
    let rest = ["JALAN TENGAH 7", "14/05/2026", "TOTAL RM 5.00"]
    let merchant = Self.values(try Self.read(name + ["002570632-X"] + rest))["merchant"]
    #expect(merchant == "CT99 - TEA HOUSE PUSAT OMEGA ENTERPRISE")
    // Without the number, the first row may also be the name of a shop, so the rows are not joined.
    #expect(Self.values(try Self.read(name + rest))["merchant"] == "OMEGA ENTERPRISE")
  }

  @Test func a_place_in_parentheses_belongs_to_the_name_and_stamps_do_not() throws {
    func merchant(_ lines: String...) throws -> String? {
      Self.values(try Self.read(lines + ["14/05/2026", "TOTAL RM 5.00"]))["merchant"]
    }
    #expect(try merchant("GAMMA MARKET SDN BHD", "(JALAN TENGAH)", "LOT 7") == "GAMMA MARKET SDN BHD (JALAN TENGAH)")
    #expect(try merchant("GAMMA MARKET SDN BHD", "(564429-W)", "LOT 7") == "GAMMA MARKET SDN BHD")
    #expect(try merchant("GAMMA MARKET SDN BHD", "(FORMERLY DELTA)", "LOT 7") == "GAMMA MARKET SDN BHD")
    #expect(try merchant("GAMMA MARKET SDN. BHD. SE", "LOT 7") == "GAMMA MARKET SDN. BHD.")
    #expect(try merchant("GAMMA MARKET SDN BHD (PUSAT)", "LOT 7") == "GAMMA MARKET SDN BHD (PUSAT)")
  }

  @Test func nothing_is_read_from_nothing() throws {
    #expect(Self.values(try Self.read(["INSERT CARD"])).filter { $0.key != "merchant" }.isEmpty)
    #expect(Self.values(try Self.read([])).isEmpty)
  }
}
