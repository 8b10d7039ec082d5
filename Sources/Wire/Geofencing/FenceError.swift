/// The reason why the geometry of a fence is invalid, and the position at fault.
public struct FenceError: Error, Equatable, Sendable {
  /// A position in a geometry.
  public struct Place: Equatable, Sendable {
    /// Index of the ring in its polygon, in which 0 is the outer ring; 0 also for lines and points.
    public var ring: Int
    /// Index of the position in the ring or line. An edge has the index of its first position.
    public var position: Int

    /// Creates a place.
    public init(ring: Int, position: Int) {
      self.ring = ring
      self.position = position
    }
  }

  /// The kind of fault, with its data.
  public enum Kind: Equatable, Sendable {
    /// The latitude is outside −90…90 or not a number.
    case latitude(Double)
    /// The longitude is outside −180…180 or not a number.
    case longitude(Double)
    /// A ring has fewer than 4 positions, or a line fewer than 2 (RFC 7946, 3.1.4, 3.1.6). The value is the number of
    /// positions.
    case tooFewPositions(Int)
    /// The last position of a ring differs from its first position.
    case openRing
    /// A ring has fewer than 3 different corners, so that it encloses no area.
    case noArea
    /// A ring encloses a pole, or a ring or line goes more than once around the globe.
    case aroundPole
    /// An edge crosses, overlaps or touches another edge of the same polygon. The value is the position at which the
    /// other edge begins.
    case crossing(Place)
    /// A hole is not inside its outer ring.
    case holeOutside
    /// A hole is inside another hole. The value is the ring index of that other hole.
    case holeInHole(ring: Int)
    /// The radius is not greater than 0, or is greater than the limit. The values are the radius and the limit, m.
    case radius(Double, limit: Double)
    /// The check of the polygons would need too many comparisons of edges (``CheckBudget``).
    case tooIntricate
    /// There are more corners or fences than a set supports.
    case tooMany
  }

  /// The kind of fault, with its data.
  public var kind: Kind
  /// The position at fault.
  public var place: Place

  /// Creates an error for a fault at a position.
  public init(_ kind: Kind, ring: Int = 0, position: Int = 0) {
    self.kind = kind
    place = Place(ring: ring, position: position)
  }
}
