/// The reason why a geometry is invalid, and the position at fault.
public struct FenceError: Error, Equatable, Sendable {
  /// A position in a geometry.
  public struct Place: Equatable, Sendable {
    /// Index of the ring in its polygon, 0 for the outer ring; 0 for lines and points.
    public var ring: Int
    /// Index of the position in the ring or line. An edge has the index of its first position.
    public var position: Int

    /// Creates a place.
    public init(ring: Int, position: Int) {
      self.ring = ring
      self.position = position
    }
  }

  /// The kind of fault.
  public enum Kind: Equatable, Sendable {
    /// A latitude that is outside −90…90 or not a number.
    case latitude(Double)
    /// A longitude that is outside −180…180 or not a number.
    case longitude(Double)
    /// A ring with fewer than 4 positions, or a line with fewer than 2 (RFC 7946, 3.1.4, 3.1.6).
    case tooFewPositions(Int)
    /// A ring whose last position is not its first.
    case openRing
    /// A ring with fewer than 3 different corners, which encloses no area.
    case noArea
    /// A ring around a pole, or a ring or line that goes more than once around the globe.
    case aroundPole
    /// An edge that meets another edge of the same polygon, given here.
    case crossing(Place)
    /// A hole that is not inside its outer ring.
    case holeOutside
    /// A hole inside another hole.
    case holeInHole(ring: Int)
    /// A radius that is not greater than 0, or exceeds the limit in m.
    case radius(Double, limit: Double)
    /// A polygon that would need too many comparisons of edges to check in a reasonable time.
    case tooIntricate
    /// More corners or fences than a set supports.
    case tooMany
  }

  /// The fault.
  public var kind: Kind
  /// The position at fault.
  public var place: Place

  /// Creates an error at a position.
  public init(_ kind: Kind, ring: Int = 0, position: Int = 0) {
    self.kind = kind
    place = Place(ring: ring, position: position)
  }
}
