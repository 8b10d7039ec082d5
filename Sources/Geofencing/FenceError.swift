/// Why a geometry is no fence, and which of its positions showed it.
public struct FenceError: Error, Equatable, Sendable {
  /// Where a position stands in the geometry.
  public struct Place: Equatable, Sendable {
    /// Index of the ring in its polygon, 0 the outer one; 0 for lines and points.
    public var ring: Int
    /// Index of the position in the ring or line; of an edge, that of its beginning.
    public var position: Int

    public init(ring: Int, position: Int) {
      self.ring = ring
      self.position = position
    }
  }

  /// What is wrong.
  public enum Kind: Equatable, Sendable {
    /// A latitude outside −90…90, or no number.
    case latitude(Double)
    /// A longitude outside −180…180, or no number.
    case longitude(Double)
    /// A ring of fewer than 4 positions, a line of fewer than 2 (RFC 7946, 3.1.4, 3.1.6).
    case tooFewPositions(Int)
    /// A ring whose last position is not its first.
    case openRing
    /// A ring that encloses nothing: fewer than 3 different corners.
    case noArea
    /// A ring that goes around a pole, or a ring or line more than once around the globe.
    case aroundPole
    /// An edge that meets another of the same polygon.
    case crossing(Place)
    /// A hole that is not inside its outer ring.
    case holeOutside
    /// A hole in a hole.
    case holeInHole(ring: Int)
    /// A radius that is not above 0 or is past what is supported.
    case radius(Double, limit: Double)
    /// A polygon whose edges lie in each other's way so much that they cannot all be compared in a reasonable time.
    case tooIntricate
    /// More corners or fences than a set can number.
    case tooMany
  }

  public var kind: Kind
  public var place: Place

  public init(_ kind: Kind, ring: Int = 0, position: Int = 0) {
    self.kind = kind
    place = Place(ring: ring, position: position)
  }
}
