import GeoJSON
import Geofencing
import Testing

/// Files that are fences.
@Suite struct GeoJSONTests {
  @Test func a_collection_of_every_geometry_is_read() throws {
    let set = try FenceSet(
      geoJSON: Array(
        """
        {"type":"FeatureCollection","features":[
          {"type":"Feature","properties":{"id":"yard","name":"Yard","radius":120,"dwellSeconds":600},
           "geometry":{"type":"Point","coordinates":[9.1774,47.6595]}},
          {"type":"Feature","properties":{"id":"town","notifyOnEntry":false,"notifyOnExit":false,"speedLimit":30},
           "geometry":{"type":"Polygon","coordinates":[[[9,47],[10,47],[10,48],[9,48],[9,47]]]}},
          {"type":"Feature","properties":{"id":"isles"},
           "geometry":{"type":"MultiPolygon","coordinates":[[[[1,1],[2,1],[2,2],[1,1]]],[[[5,5],[6,5],[6,6],[5,5]]]]}},
          {"type":"Feature","properties":{"id":"road","radius":25.5},
           "geometry":{"type":"LineString","coordinates":[[9,47,400],[9.1,47.1,410]]}}]}
        """.utf8), file: "fences.geojson")
    #expect(
      Array(set.fences) == [
        Fence(id: "yard", name: "Yard", dwell: 600_000_000_000),
        Fence(id: "town", notifyOnEntry: false, notifyOnExit: false, speedLimit: 30), Fence(id: "isles"),
        Fence(id: "road"),
      ])
    #expect(set.contains(GeoPosition(latitude: 47.66, longitude: 9.1774), fence: 0))
    #expect(set.contains(GeoPosition(latitude: 47.5, longitude: 9.5), fence: 1))
    #expect(set.contains(GeoPosition(latitude: 5.1, longitude: 5.5), fence: 2))
    #expect(set.contains(GeoPosition(latitude: 1.1, longitude: 1.5), fence: 2))
    #expect(!set.contains(GeoPosition(latitude: 3, longitude: 3), fence: 2))
    #expect(set.contains(GeoPosition(latitude: 47.05, longitude: 9.05), fence: 3))
  }
}
