import Foundation
import GeoJSON
import Geofencing
import TestKit
import Testing

/// 100,000 random cases with the results of shapely and geographiclib: polygons with holes, circles up to 50 km,
/// corridors, at the poles and across the antimeridian.
@Suite struct OutsideReferenceTests {
  @Test func inside_and_distance_are_those_of_shapely_and_geographiclib() throws {
    let python = try Tool.python(with: "shapely, geographiclib")
    let scratch = try ScratchFolder()
    let made = try Tool.run(
      python, [TestData.projectRoot + "/scripts/fence-reference.py", "1", "100000", scratch.path], limit: .seconds(400))
    #expect(made.status == 0, "\(made.errors)")
    let file = try Data(contentsOf: URL(fileURLWithPath: scratch.file("fences.geojson")))
    let set = try FenceSet(geoJSON: Array(file), file: "fences.geojson")
    var cases = 0
    var wrong: [Substring] = []
    var far: [String] = []
    for line in try String(contentsOfFile: scratch.file("cases.txt"), encoding: .utf8).split(separator: "\n") {
      let words = line.split(separator: " ")
      let fence = try #require(Int(words[0]))
      let position = GeoPosition(
        latitude: try #require(Double(words[1])), longitude: try #require(Double(words[2])))
      cases += 1
      if set.contains(position, fence: fence) != (words[3] == "1") { wrong.append(line) }
      guard let expected = Double(words[4]) else { continue }
      let distance = set.distance(from: position, toBoundaryOf: fence) ?? .infinity
      // Both distances from the boundary are equal within half a metre, or for 10 km within half a per mille.
      if abs(distance - expected) > 0.5 + expected * 5e-4 { far.append("\(line): \(distance)") }
    }
    #expect(cases >= 100_000)
    #expect(wrong == [])
    #expect(far == [])
    print("fences: \(cases) cases agree with shapely and geographiclib")
    try expectSmallRings(scratch.file("rings.txt"))
  }

  /// Rings that are rejected as self-crossing are those that shapely calls invalid.
  private func expectSmallRings(_ path: String) throws {
    var disagreements: [Substring] = []
    for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
      let words = line.split(separator: " ")
      let ring = words.dropFirst().map { pair in
        let numbers = pair.split(separator: ",").compactMap { Double($0) }
        return GeoPosition(latitude: numbers[1], longitude: numbers[0])
      }
      if isAccepted(ring) != (words[0] == "1") { disagreements.append(line) }
    }
    #expect(disagreements == [])
  }

  private func isAccepted(_ ring: [GeoPosition]) -> Bool {
    var builder = FenceSetBuilder()
    builder.beginArea(Fence(id: "a"))
    do throws(FenceError) {
      try builder.addRing(ring)
      try builder.endPolygon()
      return true
    } catch { return false }
  }
}
