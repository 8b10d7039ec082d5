import FleetDomain
import GeoJSON
import Testing

@Suite struct FencesDocumentTests {
  private static func text(_ radius: String) -> [UInt8] {
    Array(
      """
      {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"id":"yard","radius":\(radius)},
      "geometry":{"type":"Point","coordinates":[9.1774,47.6595]}}]}
      """.utf8)
  }

  @Test func the_same_bytes_have_the_same_tag_and_others_another() throws {
    let tag = try FencesDocument(geoJSON: Self.text("120")).entityTag
    #expect(try FencesDocument(geoJSON: Self.text("120")).entityTag == tag)
    #expect(try FencesDocument(geoJSON: Self.text("121")).entityTag != tag)
    #expect(tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.count == 34)
  }

  @Test func an_invalid_geofence_is_rejected_with_the_name_of_its_feature() {
    let error = #expect(throws: GeoJSONError.self) { try FencesDocument(geoJSON: Self.text("-5")) }
    #expect(error?.feature == 0)
    #expect(error?.id == "yard")
  }
}
