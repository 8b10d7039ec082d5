import Testing
import TroubleCodes

struct TroubleCodeCatalogTests {
  private func catalog(_ text: String) throws -> TroubleCodeCatalog {
    var catalog = TroubleCodeCatalog()
    try catalog.add(csv: Array(text.utf8), file: "codes.csv")
    return catalog
  }

  @Test func a_generic_code_is_described_in_one_line() {
    #expect(
      TroubleCodeCatalog().describe(0x0420)
        == "P0420 — catalyst efficiency below threshold, bank 1 (powertrain, auxiliary emission controls)")
  }

  @Test func a_failure_type_says_how_the_part_failed() {
    #expect(
      TroubleCodeCatalog().describe(0x4031, failureType: 0x11)
        == "C0031-11 — left front wheel speed sensor: circuit short to ground (chassis, brakes and traction control)")
  }

  @Test func failure_type_zero_is_shown_and_adds_no_words() {
    #expect(
      TroubleCodeCatalog().describe(0xC100, failureType: 0)
        == "U0100-00 — no communication with engine control module A (network, network communication)")
  }

  @Test func a_code_without_text_is_described_by_its_digits() {
    let catalog = TroubleCodeCatalog()
    #expect(catalog.describe(0x1131) == "P1131 (powertrain, fuel and air metering, maker's own code)")
    #expect(catalog.describe(0x7000) == "C3000 (chassis, sub-system not assigned, reserved code)")
    #expect(catalog.describe(0x0FFF) == "P0FFF (powertrain, sub-system not assigned, no text known)")
    #expect(
      catalog.describe(0x5234, failureType: 0x12)
        == "C1234-12 — circuit short to battery (chassis, sub-system chosen by the maker, maker's own code)")
  }

  @Test func every_code_is_described_in_one_line_that_begins_with_it() {
    let catalog = TroubleCodeCatalog()
    for number in UInt16.min...UInt16.max {
      let line = catalog.describe(number)
      if !line.hasPrefix(CodeName(number).description) || !line.hasSuffix(")") || line.utf8.count > 160 {
        Issue.record("\(line)")
      }
    }
  }

  @Test func a_manufacturers_text_is_used_only_for_its_make() throws {
    let catalog = try catalog("P1234,pump driver module disabled,Ford\n")
    #expect(catalog.text(for: 0x1234, make: "Ford") == "pump driver module disabled")
    #expect(catalog.text(for: 0x1234, make: "FORD") == "pump driver module disabled")
    #expect(catalog.text(for: 0x1234, make: "Opel") == nil)
    #expect(catalog.text(for: 0x1234) == nil)
  }

  @Test func a_line_without_make_holds_for_every_make() throws {
    let catalog = try catalog("P1234,for all\nP1234,for Ford,Ford\n")
    #expect(catalog.text(for: 0x1234) == "for all")
    #expect(catalog.text(for: 0x1234, make: "Opel") == "for all")
    #expect(catalog.text(for: 0x1234, make: "Ford") == "for Ford")
  }

  @Test func a_makers_line_overrides_the_generic_text() throws {
    let catalog = try catalog("P0420,converter worn,Ford\n")
    #expect(catalog.text(for: 0x0420, make: "Ford") == "converter worn")
    #expect(catalog.text(for: 0x0420, make: "Opel") == "catalyst efficiency below threshold, bank 1")
    #expect(
      catalog.describe(0x0420, make: "Ford") == "P0420 — converter worn (powertrain, auxiliary emission controls)")
  }

  @Test func a_later_file_replaces_what_an_earlier_one_said() throws {
    var catalog = try catalog("P1234,first\nP1235,stays\n")
    try catalog.add(csv: Array("P1234,second\n".utf8), file: "later.csv")
    #expect(catalog.text(for: 0x1234) == "second")
    #expect(catalog.text(for: 0x1235) == "stays")
    #expect(catalog.addedCount == 2)
  }
}
