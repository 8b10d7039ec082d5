import Geofencing
import JSONText

extension CollectionReader {
  /// Reads the geometry of a Polygon or a MultiPolygon.
  mutating func readArea(
    _ properties: FeatureProperties, _ coordinates: JSONValue, isMulti: Bool
  ) throws(JSONError) {
    if let radius = properties.radius {
      throw radius.invalid(expected: "no radius: it belongs to a Point or a LineString")
    }
    builder.beginArea(properties.fence)
    if isMulti {
      guard try coordinates.requireArray().first(where: { _ in true }) != nil else {
        throw coordinates.invalid(expected: "at least one polygon", found: "none")
      }
      for polygon in coordinates.elements { try readPolygon(polygon) }
    } else {
      try readPolygon(coordinates)
    }
    builder.endArea()
  }

  private mutating func readPolygon(_ polygon: JSONValue) throws(JSONError) {
    var number = 0
    for ring in try polygon.requireArray() {
      try readPositions(ring)
      do throws(FenceError) { try builder.addRing(positions) } catch { throw Self.explain(error, polygon) }
      number += 1
    }
    guard number > 0 else { throw polygon.invalid(expected: "at least an outer ring", found: "no ring") }
    do throws(FenceError) { try builder.endPolygon() } catch { throw Self.explain(error, polygon) }
  }

  /// Reads the geometry of a Point: the centre of a circle, whose radius is the property `radius`.
  mutating func readCircle(_ properties: FeatureProperties, _ coordinates: JSONValue) throws(JSONError) {
    let radius = try Self.radius(properties, upTo: FenceSetBuilder.greatestRadius)
    let middle = try Self.position(coordinates)
    do throws(FenceError) {
      try builder.addCircle(properties.fence, around: middle, radius: radius)
    } catch {
      throw Self.explain(error, at: coordinates, coordinates)
    }
  }

  /// Reads the geometry of a LineString: the centre line of a corridor, which extends to both sides by the property
  /// `radius`.
  mutating func readCorridor(_ properties: FeatureProperties, _ coordinates: JSONValue) throws(JSONError) {
    let radius = try Self.radius(properties, upTo: FenceSetBuilder.greatestCorridorRadius)
    try readPositions(coordinates)
    do throws(FenceError) {
      try builder.addCorridor(properties.fence, along: positions, radius: radius)
    } catch {
      throw Self.explain(error, at: coordinates[error.place.position] ?? coordinates, coordinates)
    }
  }

  // MARK: Values

  private static func radius(_ properties: FeatureProperties, upTo limit: Double) throws(JSONError) -> Double {
    guard let value = properties.radius else { throw properties.place.error(.missingKey("radius")) }
    let radius = try value.requireDouble()
    guard radius > 0, radius <= limit else {
      throw value.invalid(expected: "a radius in m, above 0 and up to \(limit)")
    }
    return radius
  }

  private mutating func readPositions(_ value: JSONValue) throws(JSONError) {
    positions.removeAll(keepingCapacity: true)
    _ = try value.requireArray()
    let odd = value.forEachPair { positions.append(GeoPosition(latitude: $1, longitude: $0)) }
    if let odd { positions.append(try Self.position(odd)) }
  }

  /// Reads a position: longitude and latitude. Further elements such as an altitude are ignored (RFC 7946, section
  /// 3.1.1).
  private static func position(_ value: JSONValue) throws(JSONError) -> GeoPosition {
    guard value.kind == .array, value.count >= 2 else { throw value.invalid(expected: "[longitude, latitude]") }
    var elements = value.elements
    guard let longitude = elements.next(), let latitude = elements.next() else {
      throw value.invalid(expected: "[longitude, latitude]")
    }
    return GeoPosition(latitude: try latitude.requireDouble(), longitude: try longitude.requireDouble())
  }

  // MARK: Errors

  /// Returns the error for an invalid polygon, at the position of the problem in the file.
  private static func explain(_ error: FenceError, _ polygon: JSONValue) -> JSONError {
    let ring = polygon[error.place.ring] ?? polygon
    switch error.kind {
    case .tooFewPositions, .noArea, .aroundPole, .holeInHole, .tooIntricate: return explain(error, at: ring, ring)
    default: return explain(error, at: ring[error.place.position] ?? ring, ring)
    }
  }

  private static func explain(_ error: FenceError, at value: JSONValue, _ ring: JSONValue) -> JSONError {
    switch error.kind {
    case .latitude(let latitude):
      (value[1] ?? value).invalid(
        expected: "a latitude from -90 to 90 as second number of a position", found: "\(latitude)")
    case .longitude(let longitude):
      (value[0] ?? value).invalid(
        expected: "a longitude from -180 to 180 as first number of a position", found: "\(longitude)")
    case .tooFewPositions(let count):
      value.invalid(
        expected: ring[3] == nil && ring.count >= 2
          ? "at least 4 positions, the last as the first" : "at least 2 positions, in a ring 4", found: "\(count)")
    case .openRing: value.invalid(expected: "the ring's first position again at its end", found: "an open ring")
    case .noArea: value.invalid(expected: "a ring with at least 3 different corners", found: "fewer")
    case .aroundPole:
      value.invalid(
        expected: "a ring or line around no pole and not more than once around the globe", found: "one that is")
    case .crossing(let other):
      value.invalid(
        expected: "edges that do not meet",
        found: "an edge from position \(error.place.position) of ring \(error.place.ring) that meets the one from "
          + "position \(other.position) of ring \(other.ring)")
    case .holeOutside: value.invalid(expected: "a hole inside its outer ring", found: "one outside")
    case .holeInHole(let outer):
      value.invalid(expected: "holes beside each other", found: "a hole in the hole of ring \(outer)")
    case .radius(let radius, let limit):
      value.invalid(expected: "a radius in m, above 0 and up to \(limit)", found: "\(radius)")
    case .tooIntricate:
      value.invalid(
        expected: "a polygon whose edges and holes can be compared with each other",
        found: "one that is too intricate for that; split it into several fences")
    case .tooMany: value.invalid(expected: "fewer corners in all", found: "too many to number")
    }
  }
}
