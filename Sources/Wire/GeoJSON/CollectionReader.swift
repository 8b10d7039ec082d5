import Geofencing
import JSONText

/// Reads the features of a FeatureCollection as fences.
struct CollectionReader {
  var builder: FenceSetBuilder
  /// Index of the feature that is being read; `nil` if none is.
  private(set) var feature: Int?
  /// ID of the feature that is being read; `nil` if it was not read yet.
  private(set) var id: String?
  /// Positions of the ring or line that is being read.
  var positions: [GeoPosition] = []
  /// Index of each feature that was read, by its ID.
  private var ids: [String: Int] = [:]

  init(corners: Int) { builder = FenceSetBuilder(corners: corners) }

  /// Reads a FeatureCollection.
  ///
  /// - Throws: the first error, with its position.
  mutating func read(_ root: JSONValue) throws(JSONError) {
    try Self.requireType("FeatureCollection", of: root)
    try refuseOtherReferences(root)
    guard let features = root["features"] else { throw root.error(.missingKey("features")) }
    for (index, value) in try features.requireArray().enumerated() {
      feature = index
      id = nil
      try readFeature(value, index)
    }
    feature = nil
    id = nil
  }

  private mutating func readFeature(_ value: JSONValue, _ index: Int) throws(JSONError) {
    try Self.requireType("Feature", of: value)
    let properties = try FeatureProperties(value)
    id = properties.fence.id
    if let first = ids.updateValue(index, forKey: properties.fence.id) {
      throw properties.idValue.invalid(
        expected: "an id that no other feature has", found: "that of feature \(first)")
    }
    guard let geometry = value["geometry"] else { throw value.error(.missingKey("geometry")) }
    guard geometry.kind == .object else { throw geometry.invalid(expected: Self.geometries) }
    guard let type = geometry["type"] else { throw geometry.error(.missingKey("type")) }
    guard let coordinates = geometry["coordinates"] ?? geometry["geometries"] else {
      throw geometry.error(.missingKey("coordinates"))
    }
    switch try type.requireString() {
    case "Polygon": try readArea(properties, coordinates, isMulti: false)
    case "MultiPolygon": try readArea(properties, coordinates, isMulti: true)
    case "Point": try readCircle(properties, coordinates)
    case "LineString": try readCorridor(properties, coordinates)
    default: throw type.invalid(expected: Self.geometries)
    }
  }

  private static let geometries = "a Polygon, MultiPolygon, Point with radius or LineString with radius"

  private static func requireType(_ name: String, of value: JSONValue) throws(JSONError) {
    guard value.kind == .object else { throw value.invalid(expected: "an object of type \(JSONError.quoted(name))") }
    guard let type = value["type"] else { throw value.error(.missingKey("type")) }
    _ = try type.requireString(oneOf: [name])
  }

  /// Rejects a coordinate reference system (`crs`) other than WGS 84, because the fences would be misplaced. The key
  /// `crs` is from an older edition of GeoJSON.
  private func refuseOtherReferences(_ root: JSONValue) throws(JSONError) {
    guard let reference = root["crs"], !reference.isNull else { return }
    let name = reference["properties"]?["name"]?.string ?? ""
    let known = [
      "urn:ogc:def:crs:OGC:1.3:CRS84", "urn:ogc:def:crs:OGC::CRS84", "urn:ogc:def:crs:EPSG::4326", "EPSG:4326",
    ]
    guard known.contains(name) else {
      throw reference.invalid(
        expected: "no crs: positions are longitude and latitude of WGS 84 (RFC 7946, 4)",
        found: name.isEmpty ? nil : JSONError.quoted(name))
    }
  }
}
