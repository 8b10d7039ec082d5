import GeoJSON
import Geofencing
import Testing

/// Invalid files: each is rejected with the feature, the position and the expected value.
@Suite struct GeoJSONErrorTests {
  /// Returns the message about a collection of a valid feature and this one.
  private func refusal(_ feature: String) -> String {
    refusal(
      of: """
        {"type":"FeatureCollection","features":[
        {"type":"Feature","properties":{"id":"first","radius":5},"geometry":{"type":"Point","coordinates":[9,47]}},
        \(feature)]}
        """)
  }

  private func refusal(of text: String) -> String {
    do {
      _ = try FenceSet(geoJSON: Array(text.utf8), file: "fences.geojson")
      return "accepted"
    } catch { return error.message }
  }

  private func polygon(_ rings: String, properties: String = #""id":"a""#) -> String {
    #"{"type":"Feature","properties":{\#(properties)},"geometry":{"type":"Polygon","coordinates":[\#(rings)]}}"#
  }

  private func point(_ properties: String, _ position: String = "[9,47]") -> String {
    #"{"type":"Feature","properties":{\#(properties)},"geometry":{"type":"Point","coordinates":\#(position)}}"#
  }

  @Test(arguments: [
    ("[[0,0],[1,0],[1,1],[0,1]]", "coordinates[0][3]", "first position again"),
    ("[[0,0],[1,1],[1,0],[0,1],[0,0]]", "coordinates[0][2]", "edges that do not meet"),
    ("[[0,0],[1,0],[1,91],[0,0]]", "coordinates[0][2][1]", "latitude from -90 to 90"),
    ("[[0,0],[181,0],[1,1],[0,0]]", "coordinates[0][1][0]", "longitude from -180 to 180"),
    ("[[0,0],[1,0],[0,0]]", "coordinates[0]", "at least 4 positions"),
    ("[[0,0],[0,0],[0,0],[0,0]]", "coordinates[0]", "3 different corners"),
    ("[[0,0],[9,0],[9,9],[0,0]],[[20,0],[21,0],[21,1],[20,0]]", "coordinates[1][0]", "inside its outer ring"),
    ("[[0,0],[9,0],[9,9],[0,0]],[[4,1],[12,1],[12,2],[4,1]]", "coordinates[1][0]", "inside its outer ring"),
    ("[[0,0],[9,0],[9,9],[0,0]],[[6,1],[7,1],[7,9],[6,1]]", "coordinates[1][2]", "edges that do not meet"),
    ("[[0,0],[1,\"0\"],[1,1],[0,0]]", "coordinates[0][1][1]", "a number"),
    ("[[0,0],[1],[1,1],[0,0]]", "coordinates[0][1]", "[longitude, latitude]"),
    ("[[0,0],5,[1,1],[0,0]]", "coordinates[0][1]", "[longitude, latitude]"),
    ("", "coordinates", "outer ring"),
    ("7", "coordinates[0]", "an array"),
  ])
  func an_invalid_polygon_is_rejected(_ row: (rings: String, place: String, right: String)) {
    let message = refusal(polygon(row.rings))
    #expect(message.hasPrefix("fences.geojson:3:"), "\(message)")
    #expect(message.contains(#"feature 1 "a": features[1].geometry.\#(row.place): "#), "\(message)")
    #expect(message.contains(row.right), "\(message)")
    #expect(!message.contains("\n"))
  }

  @Test(arguments: [
    (#""radius":5"#, "features[1].properties: key \"id\" is missing"),
    (#""id":"first","radius":5"#, "an id that no other feature has, found that of feature 0"),
    (#""id":true,"radius":5"#, "features[1].properties.id: expected a string or a number as id, found true"),
    (#""id":"","radius":5"#, "features[1].properties.id: expected a text of 1 to 256 bytes"),
    (#""id":"a""#, "features[1].properties: key \"radius\" is missing"),
    (#""id":"a","radius":0"#, "features[1].properties.radius: expected a radius in m, above 0"),
    (#""id":"a","radius":-5"#, "features[1].properties.radius: expected a radius in m, above 0"),
    (#""id":"a","radius":1e9"#, "features[1].properties.radius: expected a radius in m, above 0"),
    (#""id":"a","radius":"5""#, "features[1].properties.radius: expected a number, found \"5\""),
    (#""id":"a","radius":5,"name":7"#, "features[1].properties.name: expected a string, found 7"),
    (#""id":"a","radius":5,"notifyOnEntry":"yes""#, "properties.notifyOnEntry: expected true or false, found \"yes\""),
    (#""id":"a","radius":5,"notifyOnExit":1"#, "properties.notifyOnExit: expected true or false, found 1"),
    (#""id":"a","radius":5,"dwellSeconds":-1"#, "properties.dwellSeconds: expected a number from 0"),
    (#""id":"a","radius":5,"dwellSeconds":"60""#, "properties.dwellSeconds: expected a number from 0"),
    (#""id":"a","radius":5,"speedLimit":0"#, "properties.speedLimit: expected km/h above 0"),
    (#""id":"a","radius":5,"speedLimit":"30""#, "properties.speedLimit: expected a number from 0"),
    (#""id":"a","radius":5,"notify_on_exit":false"#, "expected the property as \"notifyOnExit\""),
    (#""id":"a","Radius":5"#, "expected the property as \"radius\""),
  ])
  func an_invalid_fence_property_is_rejected(_ row: (properties: String, message: String)) {
    let message = refusal(point(row.properties))
    #expect(message.hasPrefix("fences.geojson:3:"), "\(message)")
    #expect(message.contains("feature 1"), "\(message)")
    #expect(message.contains(row.message), "\(message)")
  }

  @Test(arguments: ["MultiPoint", "MultiLineString", "GeometryCollection", "Circle", "polygon"])
  func unsupported_geometries_are_rejected(type: String) {
    let message = refusal(
      #"{"type":"Feature","properties":{"id":"a"},"geometry":{"type":"\#(type)","coordinates":[[9,47]]}}"#)
    #expect(message.contains("features[1].geometry.type: expected a Polygon, MultiPolygon, Point"), "\(message)")
    #expect(refusal(#"{"type":"Feature","properties":{"id":"a"},"geometry":null}"#).contains("found null"))
  }

  @Test func a_radius_belongs_to_points_and_lines() {
    let message = refusal(polygon("[[0,0],[1,0],[1,1],[0,0]]", properties: #""id":"a","radius":10"#))
    #expect(message.contains("features[1].properties.radius: expected no radius"), "\(message)")
    let line =
      #"{"type":"Feature","properties":{"id":"a"},"geometry":{"type":"LineString","coordinates":[[0,0],[1,0]]}}"#
    #expect(refusal(line).contains("key \"radius\" is missing"))
  }

  @Test func a_line_needs_two_positions() {
    let message = refusal(
      #"{"type":"Feature","properties":{"id":"a","radius":9},"geometry":{"type":"LineString","coordinates":[[0,0]]}}"#)
    #expect(message.contains("at least 2 positions"), "\(message)")
  }

  @Test func a_position_outside_the_valid_range_is_rejected() {
    #expect(refusal(point(#""id":"a","radius":5"#, "[9,91]")).contains("geometry.coordinates[1]: expected a latitude"))
    #expect(
      refusal(point(#""id":"a","radius":5"#, "[-181,1]")).contains("geometry.coordinates[0]: expected a longitude"))
  }

  @Test(arguments: [
    ("", "1:1: no JSON value"),
    (#"{"type":"Feature","features":[]}"#, "1:9: type: expected \"FeatureCollection\""),
    (#"[]"#, "1:1: expected an object of type \"FeatureCollection\""),
    (#"{"type":"FeatureCollection"}"#, "key \"features\" is missing"),
    (#"{"type":"FeatureCollection","features":{}}"#, "features: expected an array"),
    (
      #"{"type":"FeatureCollection","features":[{"type":"Point"}]}"#,
      "feature 0: features[0].type: expected \"Feature\""
    ),
    (#"{"type":"FeatureCollection","features":[3]}"#, "feature 0: features[0]: expected an object"),
    (#"{"type":"FeatureCollection","features":[]"#, "expected ',' or '}'"),
    (
      #"{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"EPSG:3857"}},"features":[]}"#,
      "crs: expected no crs"
    ),
  ])
  func a_file_that_is_not_a_feature_collection_is_rejected(_ row: (text: String, message: String)) {
    let message = refusal(of: row.text)
    #expect(message.hasPrefix("fences.geojson:"), "\(message)")
    #expect(message.contains(row.message), "\(message)")
  }

  @Test func members_that_do_not_concern_geofences_are_ignored() throws {
    let text = #"""
      {"type":"FeatureCollection","bbox":[0,0,1,1],"name":"export","crs":{"type":"name",
       "properties":{"name":"urn:ogc:def:crs:OGC:1.3:CRS84"}},"features":[
       {"type":"Feature","id":7,"bbox":[0,0,1,1],"properties":{"radius":12,"stroke":"#ff0000","name":null,"id":null},
        "geometry":{"type":"Point","coordinates":[9,47,400.5],"bbox":[9,47,9,47]}}]}
      """#
    let set = try FenceSet(geoJSON: Array(text.utf8), file: "export.geojson")
    #expect(Array(set.fences) == [Fence(id: "7")])
  }
}
