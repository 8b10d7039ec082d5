import Geofencing
import JSONText

extension FenceSet {
  /// Reads a FeatureCollection (RFC 7946) whose features are fences.
  ///
  ///     {"type":"FeatureCollection","features":[
  ///       {"type":"Feature","properties":{"id":"yard","name":"Yard","radius":120,"dwellSeconds":600},
  ///        "geometry":{"type":"Point","coordinates":[9.1774,47.6595]}}]}
  ///
  /// Polygon and MultiPolygon with holes, Point with `radius` (a circle), LineString with `radius` (a corridor to both
  /// sides); `radius` in m. Properties: `id` (or the feature's own), `name`, `notifyOnEntry`, `notifyOnExit` (true unless
  /// they say false), `dwellSeconds`, `speedLimit` in km/h. Other properties are left alone, but not those that differ from
  /// these by case, `_` and `-` only. A property that is null is not there. The direction of rings is not looked at (3.1.6).
  ///
  /// - Parameters:
  ///   - text: the file's bytes.
  ///   - file: its name, for messages.
  /// - Throws: the first error of the file. Nothing is read of a file that has one.
  public init(geoJSON text: [UInt8], file: String) throws(GeoJSONError) {
    // Each position has its bracket.
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
