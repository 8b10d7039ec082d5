import Testing

@testable import OBDWire

@Suite struct TablesCodesTests {
  @Test func texts_are_sorted_and_not_empty() {
    let rows = saeEnumerationTexts.span.indices.map { saeEnumerationTexts.span[$0] }
    for (a, b) in zip(rows, rows.dropFirst()) { #expect(a.key < b.key) }
    #expect(rows.allSatisfy { $0.text.utf8CodeUnitCount > 0 })
  }

  @Test(arguments: [
    (SAEEnumeration.fuelType, UInt32(4), "diesel"), (.fuelType, 8, "electric"), (.fuelSystemStatus, 2, "closed loop"),
    (.obdRequirements, 6, "EOBD"), (.obdRequirements, 59, "HD OBD (EPA)"), (.ignitionType, 1, "compression"),
    (.chargingState, 2, "charge increasing"), (.secondaryAirStatus, 4, "atmosphere or off"),
  ])
  func a_code_has_its_text(enumeration: SAEEnumeration, code: UInt32, text: String) {
    #expect(SAEEnumerations.text(enumeration: enumeration.rawValue, code: code).map { "\($0)" } == text)
  }

  @Test func reserved_codes_have_no_text() {
    #expect(SAEEnumerations.text(enumeration: SAEEnumeration.fuelType.rawValue, code: 200) == nil)
    #expect(SAEEnumerations.text(enumeration: SAEEnumeration.obdRequirements.rawValue, code: 22) == nil)
    #expect(SAEEnumerations.text(enumeration: SAEEnumeration.fuelSystemStatus.rawValue, code: 3) == nil)
    // A code of more than one byte must not be read as a code of the next list.
    #expect(SAEEnumerations.text(enumeration: SAEEnumeration.fuelSystemStatus.rawValue, code: 0x101) == nil)
    #expect(SAEEnumerations.text(enumeration: 0, code: 1) == nil)
    #expect(SAEEnumerations.text(enumeration: 0xFFFF, code: 1) == nil)
  }

  @Test func units_of_service_06_are_sorted() {
    let ids = unitsAndScalings.span.indices.map { unitsAndScalings.span[$0].id }
    for (a, b) in zip(ids, ids.dropFirst()) { #expect(a < b) }
  }

  @Test(arguments: [
    (UInt8(0x01), UInt16(0xFFFF), 65_535.0, ""), (0x07, 0x0002, 0.5, "rpm"), (0x0A, 0x2000, 0.999424, "V"),
    (0x16, 0x0190, 0, "°C"), (0x39, 0x8000, 0, "%"), (0x81, 0xFFFF, -1, ""), (0x96, 0xFFF6, -1, "°C"),
    (0xFC, 0x8000, -327.68, "kPa"), (0xFE, 0xFFFE, -0.5, "Pa"), (0x2F, 0x2710, 100, "%"),
  ])
  func a_test_value_has_the_unit_of_its_id(id: UInt8, raw: UInt16, value: Double, unit: String) throws {
    let scaling = try #require(UnitAndScaling(id: id))
    #expect(abs(scaling.value(raw) - value) < 1e-9)
    #expect("\(scaling.unit.symbol)" == unit)
    #expect(scaling.isSigned == (id >= 0x80))
  }

  @Test(arguments: [UInt8(0x00), 0x44, 0x80, 0x88, 0x93, 0xFF])
  func a_reserved_id_has_no_meaning(id: UInt8) {
    #expect(UnitAndScaling(id: id) == nil)
  }

  @Test func negative_responses_say_why() {
    #expect(NegativeResponseCode.text(0x12).map { "\($0)" } == "subfunction not supported")
    #expect(NegativeResponseCode.text(0x22).map { "\($0)" } == "conditions not correct")
    #expect(
      NegativeResponseCode.text(NegativeResponseCode.responsePending).map { "\($0)" }?.contains("pending") == true)
    for reserved in [UInt8(0x00), 0x15, 0x8E, 0xF0, 0xFF] { #expect(NegativeResponseCode.text(reserved) == nil) }
    let codes = negativeResponseCodes.span.indices.map { negativeResponseCodes.span[$0].code }
    for (a, b) in zip(codes, codes.dropFirst()) { #expect(a < b) }
  }
}
