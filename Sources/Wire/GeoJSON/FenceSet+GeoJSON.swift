import Geofencing
import JSONText

extension FenceSet {
  /// Returns an upper bound of the memory that ``init(geoJSON:file:)`` needs, in bytes, without parsing the text.
  public static func mostMemory(forGeoJSON text: Span<UInt8>) -> Int {
    // Each position has an opening bracket, and the positions of one geometry are between two braces. While a geometry
    // is checked, its positions are in memory several times.
    var (positions, inGeometry, most) = (0, 0, 0)
    for index in text.indices {
      switch text[index] {
      case UInt8(ascii: "["):
        positions &+= 1
        inGeometry &+= 1
        most = max(most, inGeometry)
      case UInt8(ascii: "{"), UInt8(ascii: "}"): inGeometry = 0
      default: break
      }
    }
    return JSONDocument.mostMemory(for: text) + positions * FenceSetBuilder.bytesForCorner
      + most * (FenceSetBuilder.bytesForCheckedCorner + MemoryLayout<GeoPosition>.stride * 3 / 2)
  }

  /// Reads a FeatureCollection (RFC 7946) whose features are geofences.
  ///
  ///     {"type":"FeatureCollection","features":[
  ///       {"type":"Feature","properties":{"id":"yard","name":"Yard","radius":120,"dwellSeconds":600},
  ///        "geometry":{"type":"Point","coordinates":[9.1774,47.6595]}}]}
  ///
  /// Geometries: Polygon and MultiPolygon with holes, Point with `radius` (a circle), LineString with `radius` (a
  /// corridor on both sides); `radius` in m. Properties: `id` (or `id` of the feature itself), `name`, `notifyOnEntry`
  /// and `notifyOnExit` (default true), `dwellSeconds`, `speedLimit` in km/h. Other properties are ignored. However, a
  /// property that differs from one of these only by case, `_` or `-` is an error, because it is probably misspelt. A
  /// property with the value `null` is treated as missing. The orientation of rings does not matter (section 3.1.6).
  ///
  /// - Parameters:
  ///   - text: content of the file.
  ///   - file: name of the file, for messages.
  /// - Throws: the first error in the file.
  public init(geoJSON text: [UInt8], file: String) throws(GeoJSONError) {
    // Each position has an opening bracket, so the number of brackets is an upper bound of the number of corners.
    var reader = CollectionReader(corners: text.reduce(0) { $0 &+ ($1 == UInt8(ascii: "[") ? 1 : 0) })
    do throws(JSONError) {
      let document = try JSONDocument(parsing: text)
      try reader.read(document.root)
    } catch {
      throw GeoJSONError(file: file, feature: reader.feature, id: reader.id, error: error)
    }
    self = reader.builder.build()
  }
}
